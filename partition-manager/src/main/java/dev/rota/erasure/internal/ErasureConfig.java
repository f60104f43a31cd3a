package dev.rota.erasure.internal;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of one eraser, as its builder describes them. Immutable. */
record ErasureConfig(Rota rota, @Nullable Archive archive, boolean closing, Duration patience) {}
