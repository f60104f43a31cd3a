package dev.rota.dashboard.internal.page;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.dashboard.PayloadRenderer;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.read.TenantReads;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.View.Text;
import dev.rota.dashboard.internal.view.View.Tree;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.RecentAttempts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One task: its attempts, payload, headers and errors. Thread-safe. */
public final class TaskPages {

  private static final String TRACE_ID = "{traceId}";
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

  private final TenantReads reads;
  private final PayloadRenderer payloads;
  private final @Nullable String traces;

  /** Creates the pages; {@code traces} is the address of a trace, if there are any. */
  public TaskPages(TenantReads reads, PayloadRenderer payloads, @Nullable String traces) {
    this.reads = reads;
    this.payloads = payloads;
    this.traces = traces;
  }

  public View task(Visit visit) {
    String tenant = TenantReads.tenant(visit, "tenant");
    long id = TenantReads.id(visit);
    RecentAttempts recent = reads.task(visit, tenant);
    List<Attempt> attempts =
        recent.attempts().stream().sorted(Comparator.comparing(Attempt::number)).toList();
    List<Block> blocks = new ArrayList<>();
    if (!attempts.isEmpty()) {
      blocks.addAll(about(visit, tenant, attempts.get(attempts.size() - 1)));
    }
    blocks.add(timeline(visit, recent, attempts));
    return new View("Task " + id, "/tenants", offers(visit, tenant, id, attempts), blocks);
  }

  private List<Block> about(Visit visit, String tenant, Attempt last) {
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        new Figures(
            List.of(
                Figure.of("tenant", tenant),
                Figure.of("kind", last.kind()),
                Figure.of("state", Constants.nameOf(last.state())),
                Figure.of("attempts", Integer.toString(last.number())),
                Figure.of("priority", Integer.toString(last.priority())),
                Figure.of("enqueued", Show.instant(last.createdAt())),
                Figure.of("key", last.key().orElse("none")))));
    trace(last).ifPresent(blocks::add);
    if (visit.viewer().may(Right.PAYLOAD)) {
      blocks.add(payload(payloads.render(tenant, last.kind(), last.payload())));
      blocks.add(headers(last));
    } else {
      Note hidden = new Note("You lack the right PAYLOAD, by which it is shown.", null, false);
      blocks.add(new Notes("Payload", List.of(hidden), ""));
    }
    last.error().ifPresent(error -> blocks.add(new Text("Last error", error)));
    last.stack().ifPresent(stack -> blocks.add(new Text("Where it was thrown", stack)));
    return blocks;
  }

  private static Block payload(String text) {
    String caption = "Payload";
    return JsonTree.of(text)
        .<Block>map(root -> new Tree(caption, root, text))
        .orElseGet(() -> new Text(caption, text));
  }

  private static Table headers(Attempt last) {
    return new Table(
        "Headers",
        List.of(Column.text("Name"), Column.text("Value")),
        new TreeMap<>(last.headers())
            .entrySet().stream()
                .map(header -> List.of(Cell.of(header.getKey()), Cell.of(header.getValue())))
                .toList(),
        "It has none.");
  }

  private Optional<Block> trace(Attempt last) {
    Matcher parent = TRACEPARENT.matcher(last.headers().getOrDefault("traceparent", ""));
    if (traces == null || !parent.matches()) {
      return Optional.empty();
    }
    String address = traces.replace(TRACE_ID, parent.group(1));
    Note link = new Note("trace " + parent.group(1), address, false);
    return Optional.of(new Notes("Trace", List.of(link), ""));
  }

  private static Table timeline(Visit visit, RecentAttempts recent, List<Attempt> attempts) {
    RecentAttempts.Looked looked = recent.looked();
    List<Note> beneath = new ArrayList<>();
    recent
        .nextCursor()
        .ifPresent(
            cursor -> beneath.add(new Note("look on", visit.links().with("after", cursor), false)));
    return new Table(
        "Attempts; looked at %s of %s attempts of the tenant%s"
            .formatted(
                Show.about(looked.estimated()),
                Show.about(Math.max(looked.estimatedAll(), looked.estimated())),
                looked.backTo().map(at -> ", back to " + Show.instant(at)).orElse("")),
        List.of(
            Column.number("Attempt"),
            Column.text("State"),
            Column.text("Claimed"),
            Column.text("Ended"),
            Column.number("Waited"),
            Column.number("Ran"),
            Column.text("Error")),
        attempts.stream().map(TaskPages::row).toList(),
        "No attempt was found so far. A task that is pending or waiting has none yet.",
        beneath);
  }

  private static List<Cell> row(Attempt attempt) {
    Optional<Instant> claimed = attempt.claimedAt();
    return List.of(
        Cell.of(Integer.toString(attempt.number())),
        Cell.of(Constants.nameOf(attempt.state())),
        Cell.of(claimed.map(Show::instant).orElse("")),
        Cell.of(attempt.finishedAt().map(Show::instant).orElse("")),
        Cell.of(claimed.map(at -> between(attempt.createdAt(), at)).orElse("")),
        Cell.of(claimed.flatMap(at -> attempt.finishedAt().map(to -> between(at, to))).orElse("")),
        Cell.titled(attempt.error().map(Show::line).orElse(""), attempt.error().orElse("")));
  }

  private static String between(Instant from, Instant to) {
    return Show.time(Duration.between(from, to));
  }

  private static List<Block> offers(Visit visit, String tenant, long id, List<Attempt> attempts) {
    boolean isDead = attempts.stream().anyMatch(attempt -> attempt.state() == TaskState.DEAD);
    List<Choice> offers = new ArrayList<>();
    offers.add(new Choice("its tenant", visit.links().tenant(tenant), false));
    offers.addAll(Offers.ofTask(visit, tenant, id, isDead));
    return List.of(new Choices("Go to", offers));
  }
}
