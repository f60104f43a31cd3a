package dev.rota.daemon;

import dev.rota.internal.db.StatementObserver;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/** Holds calls of one name while it is shut. */
final class Gate implements StatementObserver {

  private final String call;
  private volatile CountDownLatch passage = new CountDownLatch(0);

  Gate(String call) {
    this.call = call;
  }

  void shut() {
    passage = new CountDownLatch(1);
  }

  void open() {
    passage.countDown();
  }

  @Override
  public void before(String name) throws SQLException {
    if (name.equals(call)) {
      try {
        passage.await();
      } catch (InterruptedException e) {
        throw new SQLException("interrupted while held by a test", e);
      }
    }
  }
}
