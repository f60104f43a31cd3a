package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** Commits of one process that do not end as they seem to. */
final class BrokenCommit implements Rewriting {

  private final int process;
  private final Effect effect;
  private final ThreadLocal<Boolean> inserted = ThreadLocal.withInitial(() -> false);
  private final AtomicInteger applied = new AtomicInteger();

  /** The effect instead of a commit. */
  enum Effect {
    /** It is acknowledged before it is done, and the server dies in between. */
    ACKNOWLEDGED_TOO_EARLY,
    /** The connection breaks before the answer; every other time, so that it is tried again. */
    ANSWER_LOST
  }

  BrokenCommit(int process, Effect effect) {
    this.process = process;
    this.effect = effect;
  }

  @Override
  public String text(int by, String text) {
    if (by == process && text.contains("insert into") && text.contains("task_")) {
      inserted.set(true);
    }
    return text;
  }

  @Override
  public void commit(int by, Ending commit) throws SQLException {
    if (by != process || !inserted.get() || !Thread.currentThread().getName().startsWith("actor")) {
      commit.run();
      return;
    }
    inserted.set(false);
    boolean first = applied.getAndIncrement() % 2 == 0;
    if (effect == Effect.ACKNOWLEDGED_TOO_EARLY) {
      commit.rollBack();
    } else {
      commit.run();
      if (first) {
        throw new SQLException("the connection broke, by order of a test", "08006");
      }
    }
  }

  @Override
  public int applied() {
    return applied.get();
  }
}
