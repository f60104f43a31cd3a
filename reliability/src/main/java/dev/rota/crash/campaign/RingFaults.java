package dev.rota.crash.campaign;

import dev.rota.DatabaseException;
import dev.rota.Tenant;
import dev.rota.crash.campaign.audit.CampaignTask;
import dev.rota.crash.campaign.audit.EnqueueMode;
import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Transactions of other programs that interfere with the rotation of a ring. */
final class RingFaults {

  private static final Duration LONG_ENOUGH_TO_ROTATE = Duration.ofSeconds(30);
  private static final Duration LONG_ENOUGH_FOR_ITS_TURN = Duration.ofSeconds(15);
  private static final Duration LONG_ENOUGH_FOR_ALL_RINGS = Duration.ofMinutes(5);
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(50).toNanos();

  /** The pause between polls; a rotation waits for a tenth of a second. */
  private static final long LOOK_FOR_A_WAIT_NANOS = Duration.ofMillis(10).toNanos();

  /** The time of the last rotation of the ring for tasks without a priority. */
  private static final String ROTATED_AT = "select rotated_at from rota.tenant where number = %d";

  /** The slot of each ring that a rotation would make the current one. */
  private static final String NEXT_SLOTS =
      """
      select format('rota_%1$s.task_init_%1$s_%2$s', number, slot / 3 * 3 + (slot + 1) % 3)
        from rota.tenant, unnest(lane_slots) as slot
       order by number, slot""";

  private static final String HAS_TASKS = "select count(*) from (select from %s limit 1) as task";

  /** Whether a rotation waits for the querying session. */
  private static final String KEEPS_A_ROTATION_WAITING =
      """
      select count(*) from pg_locks
       where relation = '%s'::regclass and mode = 'AccessExclusiveLock' and not granted
         and pg_backend_pid() = any (pg_blocking_pids(pid))""";

  private RingFaults() {}

  /**
   * Holds a slot that is the next one of its ring, until a rotation has waited for it and given up.
   * The slot is held longer than a rotation waits. A rotation does not get so far if the next slot
   * still has tasks.
   */
  static void read(ActiveFault fault) throws Exception {
    Await.until(
        "a rotation waits for a reader",
        LONG_ENOUGH_FOR_ALL_RINGS,
        () -> hasStoppedRotation(fault));
  }

  private static boolean hasStoppedRotation(ActiveFault fault) {
    try {
      List<String> slots = drainedSlots(fault.environment().server());
      return !slots.isEmpty()
          && hasStoppedRotation(fault, slots.get(fault.victim() % slots.size()));
    } catch (SQLException e) {
      // The server is unavailable.
      return false;
    }
  }

  private static List<String> drainedSlots(ControlledServer server) throws SQLException {
    List<String> drained = new ArrayList<>();
    for (String slot : server.texts(NEXT_SLOTS)) {
      if (server.number(HAS_TASKS.formatted(slot)) == 0) {
        drained.add(slot);
      }
    }
    return drained;
  }

  private static boolean hasStoppedRotation(ActiveFault fault, String slot) throws SQLException {
    try (Connection connection = fault.environment().server().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("select 1 from " + slot + " limit 1");
      long begun = System.nanoTime();
      String waiting = KEEPS_A_ROTATION_WAITING.formatted(slot);
      while (TestDatabase.texts(connection, waiting).equals(List.of("0"))) {
        if (System.nanoTime() - begun > LONG_ENOUGH_FOR_ITS_TURN.toNanos()) {
          // The ring may have rotated before the slot was held, or the daemon is unavailable.
          return false;
        }
        LockSupport.parkNanos(LOOK_FOR_A_WAIT_NANOS);
      }
      LockSupport.parkNanos(fault.hold().toNanos());
      return true;
    }
  }

  /**
   * Enqueues in a transaction that stays open over one rotation at least, over two if they come
   * soon.
   */
  static void enqueueStale(ActiveFault fault) throws Exception {
    Await.until(
        "a transaction is open over a rotation",
        LONG_ENOUGH_FOR_ALL_RINGS,
        () -> enqueuedStale(fault));
  }

  private static boolean enqueuedStale(ActiveFault fault) {
    Tenant tenant = fault.tenant();
    long mark = fault.environment().nextMark();
    fault.environment().log().invoke(mark, 1, EnqueueMode.SINGLE);
    boolean committing = false;
    try (Connection connection = fault.environment().server().connect()) {
      connection.setAutoCommit(false);
      long id = tenant.enqueue(connection, CampaignTask.of(mark).task(mark));
      boolean rotated = awaitRotation(fault, tenant);
      committing = true;
      connection.commit();
      fault.environment().log().acknowledged(mark, List.of(id));
      return rotated;
    } catch (SQLException | DatabaseException e) {
      // The server is unavailable: the next try has a new mark.
      if (committing) {
        fault.environment().log().unknown(mark, 1);
      } else {
        fault.environment().log().failed(mark, 1);
      }
      return false;
    }
  }

  private static boolean awaitRotation(ActiveFault fault, Tenant tenant) throws SQLException {
    ControlledServer server = fault.environment().server();
    String query = ROTATED_AT.formatted(tenant.number());
    long begun = System.nanoTime();
    List<String> last = server.texts(query);
    int rotations = 0;
    while (rotations < 2) {
      long waited = System.nanoTime() - begun;
      if (waited > LONG_ENOUGH_TO_ROTATE.toNanos()
          || (rotations == 1 && waited > 2 * fault.hold().toNanos())) {
        break;
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      List<String> now = server.texts(query);
      rotations += now.equals(last) ? 0 : 1;
      last = now;
    }
    return rotations > 0;
  }
}
