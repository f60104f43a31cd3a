package dev.rota.cli.history;

import dev.rota.TaskState;
import dev.rota.history.HistoryFilter;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The conditions on the tasks of a tenant's history. */
public final class HistoryOptions {

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  @Nullable String kind;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only tasks enqueued at this time or later, as 2030-01-31T08:00:00Z.")
  @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only tasks enqueued before this time.")
  @Nullable Instant to;

  public boolean isEmpty() {
    return kind == null && from == null && to == null;
  }

  HistoryFilter filter() {
    HistoryFilter filter = HistoryFilter.all();
    if (kind != null) {
      filter = filter.kind(kind);
    }
    if (from != null) {
      filter = filter.createdFrom(from);
    }
    return to == null ? filter : filter.createdBefore(to);
  }

  /** Builds a filter, with conditions that not every command has; null means no condition. */
  public HistoryFilter filter(@Nullable Set<TaskState> states, @Nullable Long id) {
    HistoryFilter filter = states == null ? filter() : filter().states(states);
    return id == null ? filter : filter.taskId(id);
  }
}
