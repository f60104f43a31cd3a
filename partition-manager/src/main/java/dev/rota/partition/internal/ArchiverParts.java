package dev.rota.partition.internal;

import dev.rota.archive.internal.ArchiveSettings;

/** What the duties of an archiver share. */
record ArchiverParts(
    DaemonSettings settings,
    ArchiveSettings archive,
    Manifest manifest,
    Pace pace,
    ArchiveTally tally) {}
