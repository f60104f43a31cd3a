package dev.rota.internal.settle;

import dev.rota.internal.key.VersionedRun;
import dev.rota.internal.schema.AttemptStateCode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A marked task that ended for good.
 *
 * @param id the task
 * @param key its key, if it has one
 * @param traits bits of {@link TaskFlags}
 * @param state done, dead or cancelled
 * @param run which run of a task with a version; null for all others, and where it never ran
 */
public record EndedTask(
    long id, @Nullable String key, int traits, AttemptStateCode state, @Nullable VersionedRun run) {

  /** Whether the task had anything that its end may bring something with. */
  public boolean isMarked() {
    return key != null || traits != 0;
  }

  public boolean has(int trait) {
    return (traits & trait) != 0;
  }

  public VersionedRun versionedRun() {
    return Objects.requireNonNull(run, "it has no version");
  }
}
