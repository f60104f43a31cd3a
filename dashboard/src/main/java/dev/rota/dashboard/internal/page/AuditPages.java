package dev.rota.dashboard.internal.page;

import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditState;
import dev.rota.dashboard.internal.action.Operations;
import dev.rota.dashboard.internal.read.PlatformReads;
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
import dev.rota.dashboard.internal.view.Visit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What viewers changed, and the changes that run. Thread-safe. */
public final class AuditPages {

  private static final int ROWS = PlatformReads.ROWS;

  private final Operations operations;
  private final PlatformReads reads;

  public AuditPages(PlatformReads reads, Operations operations) {
    this.reads = reads;
    this.operations = operations;
  }

  public View audit(Visit visit) {
    Optional<String> tenant = visit.tenantFilter();
    List<AuditEntry> entries = reads.audit(visit);
    List<Note> beneath =
        entries.size() < ROWS
            ? List.of()
            : List.of(
                new Note(
                    "earlier ones",
                    visit.links().with("before", Long.toString(entries.get(ROWS - 1).id())),
                    false));
    return new View(
            "Audit",
            "/audit",
            List.of(
                new Table(
                    tenant
                        .map(name -> "Changes that concern tenant " + name)
                        .orElse("Changes that people made"),
                    List.of(
                        Column.number("Number"),
                        Column.text("Begun"),
                        Column.text("Who"),
                        Column.text("What"),
                        Column.text("Tenant"),
                        Column.text("About"),
                        Column.number("Tasks"),
                        Column.text("State"),
                        Column.text("Result")),
                    entries.stream().map(entry -> row(visit, entry)).toList(),
                    "No change is recorded.",
                    beneath)))
        .seldom();
  }

  private static List<Cell> row(Visit visit, AuditEntry entry) {
    return List.of(
        Cell.link(Long.toString(entry.id()), visit.links().operation(entry.id())),
        Cell.of(Show.instant(entry.times().begunAt())),
        Cell.of(entry.action().actor()),
        Cell.of(entry.action().action()),
        entry
            .action()
            .tenant()
            .map(name -> Cell.link(name, visit.links().tenant(name)))
            .orElse(Cell.of("")),
        Cell.of(entry.action().about()),
        Cell.of(Show.count(entry.result().tasks())),
        Cell.of(state(entry)),
        Cell.titled(Show.line(entry.result().detail()), entry.result().detail()));
  }

  private static String state(AuditEntry entry) {
    return entry.isInterrupted() ? "interrupted" : Constants.nameOf(entry.result().state());
  }

  /** One change: how far it is, and a way to stop it. */
  public View operation(Visit visit) {
    AuditEntry entry = operations.entry(visit);
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        new Figures(
            List.of(
                Figure.of("state", state(entry)),
                Figure.of("tasks", Show.count(entry.result().tasks())),
                Figure.of(
                    "counted before",
                    entry.action().counted().isPresent()
                        ? Show.count(entry.action().counted().getAsLong())
                        : "not"),
                Figure.of("by", entry.action().actor()),
                Figure.of("begun", Show.instant(entry.times().begunAt())),
                Figure.of("ended", entry.times().endedAt().map(Show::instant).orElse("not yet")))));
    blocks.add(new Notes("About", List.of(new Note(entry.action().about(), null, false)), ""));
    if (!entry.result().detail().isEmpty()) {
      boolean failed = entry.result().state() == AuditState.FAILED;
      blocks.add(new Notes("Result", List.of(new Note(entry.result().detail(), null, failed)), ""));
    }
    if (entry.isInterrupted()) {
      Note why =
          new Note(
              "Its process has not written for "
                  + Show.time(entry.times().silence())
                  + ". What it changed stays; the same action again does the rest.",
              null,
              true);
      blocks.add(new Notes("Interrupted", List.of(why), ""));
    }
    if (entry.result().state() == AuditState.RUNNING && !entry.result().stopRequested()) {
      String address = visit.links().to("/actions/stop", "id", Long.toString(entry.id()));
      blocks.add(new Choices("Do", List.of(new Choice("stop it", address, false))));
    }
    return new View(entry.action().action() + " " + entry.id(), "/audit", blocks);
  }
}
