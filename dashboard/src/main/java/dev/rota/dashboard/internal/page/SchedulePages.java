package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Search;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.insight.ScheduleEntry;
import dev.rota.schedule.ScheduleInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Schedules of all tenants. Thread-safe. */
public final class SchedulePages {

  private final PlatformReads reads;

  public SchedulePages(PlatformReads reads) {
    this.reads = reads;
  }

  public View schedules(Visit visit) {
    Links links = visit.links();
    Optional<String> search = visit.parameter("search");
    Optional<String> tenant = visit.tenantFilter();
    List<ScheduleEntry> schedules = reads.schedules(visit);
    Instant now = reads.now();
    return new View(
            "Schedules",
            "/schedules",
            List.of(new Search("Tenant or name", "search", search.orElse(""), links.hidden())),
            List.of(
                new Table(
                    "Schedules by tenant and name",
                    List.of(
                        Column.text("Tenant"),
                        Column.text("Name"),
                        Column.text("Kind"),
                        Column.text("When"),
                        Column.text("Next"),
                        Column.text("Last"),
                        Column.number("Skipped"),
                        Column.text("Do")),
                    schedules.stream().map(entry -> row(visit, entry, now)).toList(),
                    "There is no such schedule.",
                    tenant.isPresent() ? List.of() : next(links, schedules))))
        .seldom();
  }

  private static List<Note> next(Links links, List<ScheduleEntry> schedules) {
    if (schedules.size() < PlatformReads.ROWS) {
      return List.of();
    }
    ScheduleEntry last = schedules.get(PlatformReads.ROWS - 1);
    String address =
        links.with(
            PlatformReads.AFTER_TENANT, last.tenant(), "after", last.schedule().schedule().name());
    return List.of(new Note("next " + PlatformReads.ROWS, address, false));
  }

  private static List<Cell> row(Visit visit, ScheduleEntry entry, Instant now) {
    Links links = visit.links();
    ScheduleInfo info = entry.schedule();
    return List.of(
        Cell.link(entry.tenant(), links.tenant(entry.tenant())),
        Cell.of(info.schedule().name()),
        Cell.of(info.schedule().task().kind()),
        Cell.of(when(info)),
        info.paused() ? Cell.of("paused") : time(info.nextRunAt(), now),
        time(info.lastRun().map(ScheduleInfo.Run::enqueuedAt), now),
        Cell.of(Show.count(info.skipped())),
        Offers.ofSchedule(visit, entry));
  }

  private static String when(ScheduleInfo info) {
    return info.schedule()
        .cron()
        .map(cron -> cron + " " + info.schedule().zone())
        .orElseGet(
            () -> info.schedule().period().map(each -> "every " + Show.time(each)).orElse(""));
  }

  private static Cell time(Optional<Instant> at, Instant now) {
    return at.map(time -> Cell.titled(Show.ago(time, now), Show.instant(time))).orElse(Cell.of(""));
  }
}
