package dev.rota.internal.settle;

import dev.rota.internal.schema.AttemptStateCode;
import org.jspecify.annotations.Nullable;

/**
 * A marked task that ended for good.
 *
 * @param id the task
 * @param key its key, if it has one
 * @param traits bits of {@link TaskFlags}
 * @param state done, dead or cancelled
 * @param attachment what a feature attached to it at its claim; null if none did, or it never ran
 */
public record EndedTask(
    long id,
    @Nullable String key,
    int traits,
    AttemptStateCode state,
    ClaimedTask.@Nullable Attachment attachment) {

  /** Whether the task had anything that its end may bring something with. */
  public boolean isMarked() {
    return key != null || traits != 0;
  }

  public boolean has(int trait) {
    return (traits & trait) != 0;
  }
}
