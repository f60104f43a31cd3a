package dev.rota.cli.history;

import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.history.ArchiveUse;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or counts the attempts of a tenant's tasks, in the database and in the archive. */
@Command(
    name = "history",
    description = {
      "Show the attempts of a tenant's tasks, newest first, or count them.",
      "With --archive, those that have left the database are among them."
    },
    sortOptions = false)
public final class HistoryCommand extends HistoryAction {

  /** The rows that one read of the database or the archive holds in memory. */
  private static final int PAGE = 1_000;

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Mixin private final HistoryOptions which = new HistoryOptions();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description = "Only attempts in one of these states: ${COMPLETION-CANDIDATES}.")
  private @Nullable Set<TaskState> states;

  @Option(names = "--id", paramLabel = "ID", description = "Only the attempts of this task.")
  private @Nullable Long id;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "The most attempts to show (default: ${DEFAULT-VALUE}).")
  private long limit = HistoryFilter.DEFAULT_LIMIT;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Continue behind an earlier call, which has printed this cursor.")
  private @Nullable String after;

  @Option(
      names = "--count-by",
      paramLabel = "WHAT",
      split = ",",
      description = "Print counts instead of attempts, by: ${COMPLETION-CANDIDATES}.")
  private @Nullable Set<HistoryCounts.Dimension> countBy;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "One of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private HistoryFormat format = HistoryFormat.TABLE;

  public HistoryCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    if (limit < 1) {
      throw new UsageException("--limit is " + limit + "; it must be at least 1");
    }
    Tenant found = tenants.get(tenant);
    if (countBy == null) {
      show(found, out);
    } else {
      count(found, out, countBy);
    }
  }

  private void count(Tenant of, PrintStream out, Set<HistoryCounts.Dimension> by) {
    if (after != null) {
      throw new UsageException("--count-by and --after exclude each other: counts have no pages");
    }
    HistoryCounts counts =
        of.history().count(which.filter(states, id), by.toArray(HistoryCounts.Dimension[]::new));
    format.printCounts(out, counts, EnumSet.copyOf(by));
    tell(counts.archive());
  }

  /** Prints page by page, so that a long list needs no more memory than a short one. */
  private void show(Tenant of, PrintStream out) {
    ArchiveUse archive = ArchiveUse.NONE;
    Optional<String> cursor = Optional.ofNullable(after);
    long left = limit;
    try (HistoryFormat.Rows rows = format.rows(out)) {
      do {
        HistoryFilter next = which.filter(states, id).limit((int) Math.min(left, PAGE));
        HistoryPage page = of.history().page(cursor.map(next::after).orElse(next));
        page.attempts().forEach(rows::print);
        archive = archive.and(page.archive());
        left -= page.attempts().size();
        cursor = page.nextCursor();
      } while (left > 0 && cursor.isPresent());
    }
    tell(archive);
    cursor.ifPresent(more -> err().println("There is more: --after " + more));
  }
}
