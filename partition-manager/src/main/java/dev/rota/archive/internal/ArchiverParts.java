package dev.rota.archive.internal;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.Throttle;

/** The parts that the tasks of an archiver share. */
record ArchiverParts(
    DaemonConfig settings,
    DefaultArchive archive,
    ArchiveManifest manifest,
    Throttle pace,
    ArchiveCounters counters) {}
