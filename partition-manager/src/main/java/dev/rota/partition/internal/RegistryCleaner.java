package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Forgets segments that were dropped long ago. Used by one thread. */
final class RegistryCleaner implements Duty {

  private static final long INTERVAL = TimeUnit.HOURS.toNanos(1);

  private final Mandate mandate;
  private final RotaTables tables;
  private long cleanedAt = System.nanoTime() - INTERVAL;

  RegistryCleaner(Mandate mandate, RotaTables tables) {
    this.mandate = mandate;
    this.tables = tables;
  }

  @Override
  public String name() {
    return "clean the registry";
  }

  @Override
  public long perform() throws SQLException {
    if (System.nanoTime() - cleanedAt >= INTERVAL) {
      mandate.transaction(
          name(),
          session ->
              session.run(
                  Call.update(
                      SegmentSql.FORGET.call(),
                      SegmentSql.FORGET.on("segments", tables.segments()))));
      cleanedAt = System.nanoTime();
    }
    return Pauses.jittered(INTERVAL / 60);
  }
}
