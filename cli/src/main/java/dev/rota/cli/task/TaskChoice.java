package dev.rota.cli.task;

import dev.rota.cli.common.UsageException;
import dev.rota.control.TaskFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Selects tasks of a tenant: those that meet some condition, or all if requested. */
final class TaskChoice {

  @Option(names = "--all", description = "All of them; needed if there is no condition.")
  private boolean all;

  @Option(names = "--id", paramLabel = "ID", description = "Only this task; can be repeated.")
  private List<Long> ids = new ArrayList<>();

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  private @Nullable String kind;

  /** The named tasks; empty if none was named, which selects any task. */
  List<Long> ids() {
    return ids;
  }

  @Nullable String kind() {
    return kind;
  }

  /** The tasks that meet these conditions. */
  TaskFilter filter() {
    TaskFilter filter = ids.isEmpty() ? TaskFilter.all() : TaskFilter.all().ids(ids);
    return kind == null ? filter : filter.kind(kind);
  }

  /** Refuses a call without a condition. */
  void require(boolean furtherCondition) {
    boolean restricted = !ids.isEmpty() || kind != null || furtherCondition;
    if (restricted == all) {
      throw new UsageException("name the tasks by a condition such as --kind, or say --all");
    }
  }
}
