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
 * @param attachment the attachment of a feature from its claim; null if there is none, or it never
 *     ran
 */
public record EndedTask(
    long id,
    @Nullable String key,
    int traits,
    AttemptStateCode state,
    ClaimedTask.@Nullable Attachment attachment) {

  /** Whether features have to be called for this end. */
  public boolean isMarked() {
    return key != null || traits != 0;
  }

  public boolean has(int trait) {
    return (traits & trait) != 0;
  }
}
