package dev.rota.partition.internal;

import dev.rota.internal.Kernel;
import dev.rota.internal.TenantRegistry;
import dev.rota.internal.db.RotaTables;
import java.sql.SQLException;
import java.util.List;

/** What a leader does, and what it knows as long as it leads. Used by one thread. */
final class LeaderDuties {

  private final TenantBook book;
  private final List<Duty> duties;

  LeaderDuties(Mandate mandate, Kernel kernel, DaemonSettings settings, Tally tally) {
    this.book = new TenantBook(mandate, kernel.registry(), kernel.tables());
    this.duties = duties(mandate, kernel, settings, tally);
  }

  /** Looks at all tenants. */
  void begin() throws SQLException {
    book.reload();
  }

  /** In the order of their urgency. */
  List<Duty> duties() {
    return duties;
  }

  private List<Duty> duties(Mandate mandate, Kernel kernel, DaemonSettings settings, Tally tally) {
    RotaTables tables = kernel.tables();
    TenantRegistry registry = kernel.registry();
    AgeWatch ages = new AgeWatch(mandate, book);
    CarryOver carryOver = new CarryOver(mandate, kernel.settings().lockNamespace(), settings);
    Rotator rotator =
        new Rotator(mandate, registry, settings, tally, new Rotator.Helpers(ages, carryOver));
    SegmentKeeper segments = new SegmentKeeper(mandate, registry, settings, tally);
    return List.of(
        new Promoter(
            mandate,
            new WaitBook(book),
            new Promoter.Parts(kernel.oddRows(), kernel.doorbell()),
            settings.tick(),
            tally),
        new Timekeeper(mandate, kernel.scheduleRunner(), kernel.doorbell()),
        new Reaper(
            mandate,
            new Reaper.Parts(registry, kernel.batchReturn(), kernel.doorbell()),
            settings.tick(),
            tally),
        new AssignmentReaper(mandate, registry, settings),
        new GraphKeeper(mandate, registry, kernel.nodeSpread(), settings),
        book,
        new Surveyor(mandate, tables, book, settings, List.of(rotator, segments)),
        rotator,
        segments,
        new LedgerKeeper(mandate, tables, settings, tally),
        new HistoryRetirer(mandate, tables, book, settings, tally),
        ages,
        new KeySweeper(mandate, book, tables, settings),
        new RegistryCleaner(mandate, tables, settings));
  }
}
