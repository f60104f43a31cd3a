package dev.rota.crash.campaign.audit;

import dev.rota.crash.accounts.LogLines;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares history with the runs of handlers. For every attempt that is done, failed or dead, a
 * handler came to that end between the claim of its batch and its end. Every batch had one process
 * as its holder. Runs of another history with the same task number do not count. Not thread-safe.
 */
public final class SurvivingRuns {

  private static final int SHOWN = 20;

  /** An attempt of a mark, with its end. */
  private record Attempt(long mark, int number, boolean succeeded) {}

  private record End(String process, long time) {}

  private final Map<Attempt, List<End>> ends = new HashMap<>();
  private final Map<Long, Set<String>> holders = new HashMap<>();
  private final List<String> found = new ArrayList<>();

  /** Reads the log of a process. */
  public void read(String process, Path log) throws IOException {
    LogLines.read(
        log,
        words -> {
          boolean succeeded = words[0].equals("s");
          if (succeeded || words[0].equals("e")) {
            Attempt attempt =
                new Attempt(Long.parseLong(words[2]), Integer.parseInt(words[4]), succeeded);
            ends.computeIfAbsent(attempt, unused -> new ArrayList<>(1))
                .add(new End(process, Long.parseLong(words[1])));
          }
        });
  }

  /** Describes contradictions; at most a few. */
  public List<String> contradictions(CampaignDatabase database) throws SQLException {
    database.attempts(this::compare);
    return found.stream().limit(SHOWN).toList();
  }

  private void compare(ResultSet row) throws SQLException {
    int state = row.getInt(3);
    if (state > 3) {
      return;
    }
    Attempt attempt = new Attempt(row.getLong(1), row.getInt(2), state < 2);
    long from = row.getLong(5);
    long to = row.getLong(6);
    Set<String> ran = new HashSet<>();
    for (End end : ends.getOrDefault(attempt, List.of())) {
      if (from <= end.time() && end.time() <= to) {
        ran.add(end.process());
      }
    }
    if (ran.isEmpty()) {
      found.add(
          "in history and not by a handler of then: " + attempt + " from " + from + " to " + to);
      return;
    }
    Set<String> holder = holders.computeIfAbsent(row.getLong(4), unused -> new HashSet<>(ran));
    holder.retainAll(ran);
    if (holder.isEmpty()) {
      found.add("not by the holder of batch " + row.getLong(4) + ": " + attempt + " by " + ran);
    }
  }
}
