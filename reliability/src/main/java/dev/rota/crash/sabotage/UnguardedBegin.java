package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * A BEGIN of one process that a cancel hits every other time, without the guard that fails outside
 * of a transaction. The rest of the flush runs on its own, and its caller gets an error.
 */
final class UnguardedBegin implements Rewriting {

  private static final Pattern BEGIN = Pattern.compile("^begin isolation level read committed");

  private final int process;
  private final String purpose;
  private final ThreadLocal<Boolean> broken = ThreadLocal.withInitial(() -> false);
  private final AtomicInteger seen = new AtomicInteger();

  /**
   * Creates the sabotage for the transactions of one process.
   *
   * @param purpose a text in their first flush
   */
  UnguardedBegin(int process, String purpose) {
    this.process = process;
    this.purpose = purpose;
  }

  @Override
  public String text(int by, String text) {
    if (by != process || !BEGIN.matcher(text).find() || !text.contains(purpose)) {
      return text;
    }
    if (seen.getAndIncrement() % 2 == 1) {
      return text;
    }
    broken.set(true);
    return BEGIN.matcher(text).replaceFirst("select 1");
  }

  @Override
  public void answered(int by) throws SQLException {
    if (broken.get()) {
      broken.set(false);
      throw new SQLException("canceling statement, by order of a test", "57014");
    }
  }

  @Override
  public int applied() {
    return seen.get();
  }
}
