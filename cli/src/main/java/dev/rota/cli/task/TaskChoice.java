package dev.rota.cli.task;

import dev.rota.cli.common.UsageException;
import dev.rota.control.TaskFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Which tasks of a tenant an operator means: those that meet some condition, or all if that is
 * said.
 */
final class TaskChoice {

  @Option(names = "--all", description = "All of them; needed if there is no condition.")
  private boolean all;

  @Option(names = "--id", paramLabel = "ID", description = "Only this task; can be repeated.")
  private List<Long> ids = new ArrayList<>();

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  private @Nullable String kind;

  /** The tasks that were named; none means that any counts. */
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

  /** Refuses a call that forgot its condition. */
  void require(boolean furtherCondition) {
    boolean restricted = !ids.isEmpty() || kind != null || furtherCondition;
    if (restricted == all) {
      throw new UsageException("name the tasks by a condition such as --kind, or say --all");
    }
  }
}
