package dev.rota.crash.campaign;

import dev.rota.FatalTaskException;
import dev.rota.Task;
import dev.rota.crash.campaign.audit.CampaignTask;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The handlers of a campaign: they do what their task requests and record it. Thread-safe. */
final class CampaignHandlers {

  private static final int MOST_MILLIS = 3;

  private final RunLog log;
  private final long seed;
  private final int aWhileMillis;

  /**
   * Creates the handlers.
   *
   * @param seed the seed of the run times of tasks
   * @param aWhileMillis the longest run time of slow tasks
   */
  CampaignHandlers(RunLog log, long seed, int aWhileMillis) {
    this.log = log;
    this.seed = seed;
    this.aWhileMillis = aWhileMillis;
  }

  /** Runs a task whose effect is the line in the log. */
  void run(Task task) throws IOException {
    log.begun(task);
    pass(task, aWhileMillis);
    failIfAsked(task);
    log.succeeded(task);
  }

  /**
   * Runs a task whose effect is a row in the same database, also of an attempt that fails
   * afterwards.
   */
  void runInTransaction(Task task, Connection connection) throws IOException, SQLException {
    log.begun(task);
    try (PreparedStatement insert =
        connection.prepareStatement("insert into effect (mark, task, attempt) values (?, ?, ?)")) {
      insert.setLong(1, Long.parseLong(task.payload()));
      insert.setLong(2, task.id());
      insert.setInt(3, task.attempt());
      insert.executeUpdate();
    }
    // The tenant's gate is held meanwhile.
    pass(task, aWhileMillis / 10);
    failIfAsked(task);
    log.succeeded(task);
  }

  static CampaignTask deed(Task task) {
    return CampaignTask.of(Long.parseLong(task.payload()));
  }

  /**
   * Takes a random time, which is drawn for each attempt separately: threads share no order of
   * drawing.
   */
  private void pass(Task task, int aWhile) {
    int most = deed(task) == CampaignTask.TAKE_A_WHILE ? aWhile : MOST_MILLIS;
    long attempt = 31 * Long.parseLong(task.payload()) + task.attempt();
    int drawn = new SplittableRandom(seed + attempt).nextInt(most);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(drawn));
  }

  private void failIfAsked(Task task) throws IOException {
    if (task.attempt() > deed(task).failures()) {
      return;
    }
    log.failed(task);
    if (deed(task) == CampaignTask.END_DEAD) {
      throw new FatalTaskException("to be dead");
    }
    throw new IOException("to be tried again");
  }
}
