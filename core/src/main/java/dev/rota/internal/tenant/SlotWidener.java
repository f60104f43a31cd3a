package dev.rota.internal.tenant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;

/**
 * Makes the slots of a tenant wide before its first large payload, in a transaction of Rota's own.
 * Wide slots have TOAST tables; all others have one file instead of three. Thread-safe.
 *
 * <p>The change locks all slots for a moment. While another session uses one, or the role lacks the
 * right, large tasks go through the wait table, and the daemon makes the slots wide.
 */
public final class SlotWidener {

  private static final Sql MAKE_WIDE = Sql.named("make_wide");

  private static final Logger log = Logs.of(SlotWidener.class);

  /** The lock timeout: all sessions that use a slot wait behind the change. */
  private static final Duration PATIENCE = Duration.ofMillis(100);

  private static final Duration REST_AFTER_FAILURE = Duration.ofSeconds(5);

  private final Database database;
  private final LockRetry change;
  private final Cache<Integer, Boolean> resting =
      Caffeine.newBuilder().expireAfterWrite(REST_AFTER_FAILURE).build();

  public SlotWidener(Database database) {
    this.database = database.withLockTimeout(PATIENCE);
    this.change =
        new LockRetry(
            database,
            "its slots",
            "end transactions that read them or enqueued there, such as a dump, and try again");
  }

  /**
   * Tries to make the slots wide for a task that does not fit them.
   *
   * @return whether they are wide; if not, the task goes through the wait table
   * @throws RotaException if they are not, and the key of the task has a version: then its payload
   *     may also change while it runs
   */
  public boolean ensure(TenantRef tenant, NewTask task) {
    if (task.key().map(key -> key.version().isPresent()).orElse(false)) {
      require(tenant);
    } else if (resting.getIfPresent(tenant.number()) == null) {
      attempt(tenant);
    }
    return tenant.state().lanes().areWide();
  }

  /**
   * Makes the slots wide if one of these tasks does not fit them.
   *
   * @throws DatabaseException if other sessions use a slot at every try
   */
  public void ensure(TenantRef tenant, List<NewTask> tasks) {
    PriorityLanes lanes = tenant.state().lanes();
    if (!tasks.stream().allMatch(task -> lanes.fit(task))) {
      require(tenant);
    }
  }

  private void attempt(TenantRef tenant) {
    try {
      List<Boolean> unused =
          database.tryTransaction(purpose(tenant), session -> session.run(of(tenant.tables())));
      tenant.learn(tenant.state().widened());
    } catch (SQLException | RotaException e) {
      resting.put(tenant.number(), true);
      log.debug("{}: later; its large tasks go through the wait table", purpose(tenant), e);
    }
  }

  private void require(TenantRef tenant) {
    try {
      List<Boolean> unused =
          change.make(purpose(tenant), session -> session.run(of(tenant.tables())));
      tenant.learn(tenant.state().widened());
    } catch (SQLException e) {
      String remedy =
          " (the owner of its tables can: select rota_%d.make('wide'))".formatted(tenant.number());
      throw SqlErrors.translate(
          SqlErrors.isForbidden(e) ? purpose(tenant) + remedy : purpose(tenant), e);
    }
  }

  private static String purpose(TenantRef tenant) {
    return "make the slots of "
        + tenant.label()
        + " wide for a payload of more than "
        + PriorityLanes.LARGEST_FITTING
        + " bytes";
  }

  /** The statement that makes all slots of a tenant wide. */
  public static BoundStatement<List<Boolean>> of(TenantTables tenant) {
    return BoundStatement.query(MAKE_WIDE.call(), MAKE_WIDE.on("make", tenant.make()), row -> true);
  }
}
