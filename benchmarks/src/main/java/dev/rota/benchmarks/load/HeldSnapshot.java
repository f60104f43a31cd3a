package dev.rota.benchmarks.load;

import dev.rota.cli.database.CommandDatabase;
import org.jooq.CloseableDSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that keeps all dead rows of the database alive as long as it is open, like a report
 * that runs for hours.
 */
final class HeldSnapshot implements AutoCloseable {

  private final @Nullable CloseableDSLContext context;

  private HeldSnapshot(@Nullable CloseableDSLContext context) {
    this.context = context;
  }

  /** Takes the snapshot if it is wanted. */
  static HeldSnapshot take(boolean wanted, CommandDatabase database) {
    if (!wanted) {
      return new HeldSnapshot(null);
    }
    CloseableDSLContext context = database.connect();
    context.execute("begin isolation level repeatable read");
    context.fetch("select count(*) from pg_class");
    return new HeldSnapshot(context);
  }

  @Override
  public void close() {
    if (context != null) {
      context.close();
    }
  }
}
