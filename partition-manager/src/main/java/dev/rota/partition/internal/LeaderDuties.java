package dev.rota.partition.internal;

import dev.rota.internal.Engine;
import dev.rota.internal.db.RotaTables;
import java.sql.SQLException;
import java.util.List;

/** What a leader does, and what it knows as long as it leads. Used by one thread. */
final class LeaderDuties {

  private final TenantBook book;
  private final List<Duty> duties;

  LeaderDuties(Mandate mandate, Engine engine, DaemonSettings settings, Tally tally) {
    this.book = new TenantBook(mandate, engine.registry(), engine.tables());
    this.duties = duties(mandate, engine, settings, tally);
  }

  /** Looks at all tenants. */
  void begin() throws SQLException {
    book.reload();
  }

  /** In the order of their urgency. */
  List<Duty> duties() {
    return duties;
  }

  private List<Duty> duties(Mandate mandate, Engine engine, DaemonSettings settings, Tally tally) {
    RotaTables tables = engine.tables();
    AgeWatch ages = new AgeWatch(mandate, book);
    Rotator rotator = new Rotator(mandate, engine, settings, tally, ages);
    SegmentKeeper segments = new SegmentKeeper(mandate, engine, settings, tally);
    return List.of(
        new Promoter(mandate, engine, book, settings, tally),
        new Timekeeper(mandate, engine),
        new Reaper(mandate, engine, settings, tally),
        new AssignmentReaper(mandate, engine, settings),
        new GraphKeeper(mandate, engine, settings),
        book,
        new Surveyor(mandate, tables, book, settings, List.of(rotator, segments)),
        rotator,
        segments,
        new LedgerKeeper(mandate, tables, settings, tally),
        new HistoryRetirer(mandate, engine, book, settings, tally),
        ages,
        new KeySweeper(mandate, book, tables, settings),
        new RegistryCleaner(mandate, tables, settings));
  }
}
