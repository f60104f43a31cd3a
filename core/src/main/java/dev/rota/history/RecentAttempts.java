package dev.rota.history;

import dev.rota.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The attempts that a bounded look into a tenant's history found, and how far it looked. Immutable.
 *
 * @param attempts the attempts, those last written first
 * @param nextCursor the argument of {@link HistoryFilter#after(String)} for the next look; empty
 *     when all history was looked at
 * @param looked how far this look and those before it went
 * @param archive the archive files that were read, and those that were not available
 */
public record RecentAttempts(
    List<Attempt> attempts, Optional<String> nextCursor, Looked looked, ArchiveUse archive) {

  /**
   * Copies the list.
   *
   * @param attempts the attempts
   * @param nextCursor the cursor of the next look
   * @param looked how far it looked
   * @param archive the use of the archive
   */
  public RecentAttempts {
    attempts = List.copyOf(attempts);
  }

  /**
   * How far looks went from the newest attempt. Numbers are those of the database alone, estimated
   * from counters of the server, which a crash of it sets to 0.
   *
   * @param estimated how many attempts were looked at
   * @param estimatedAll how many there are
   * @param backTo the time of enqueue of a task among the oldest attempts that were looked at;
   *     empty if there are none
   */
  public record Looked(long estimated, long estimatedAll, Optional<Instant> backTo) {}
}
