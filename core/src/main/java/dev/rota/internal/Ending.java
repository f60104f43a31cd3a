package dev.rota.internal;

import dev.rota.internal.db.StateCode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A marked task that ended for good.
 *
 * @param id the task
 * @param key its key, if it has one
 * @param traits bits of {@link Traits}
 * @param state done, dead or cancelled
 * @param run which run of a task with a version; null for all others, and where it never ran
 */
record Ending(
    long id, @Nullable String key, int traits, StateCode state, @Nullable VersionedRun run) {

  /** Whether the task had anything that its end may bring something with. */
  boolean isMarked() {
    return key != null || traits != 0;
  }

  boolean has(int trait) {
    return (traits & trait) != 0;
  }

  VersionedRun versionedRun() {
    return Objects.requireNonNull(run, "it has no version");
  }
}
