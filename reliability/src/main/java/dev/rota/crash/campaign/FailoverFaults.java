package dev.rota.crash.campaign;

import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.LostPast;
import dev.rota.crash.server.BaseBackup;
import dev.rota.crash.server.ControlledServer;
import dev.rota.crash.server.FaultProxy;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replaces a dying server by another one, while processes live that knew the first one. A producer
 * and a worker continue as if nothing had happened; another worker is frozen meanwhile and wakes
 * when others have claimed. A third worker starts new.
 */
final class FailoverFaults {

  private static final String STANDBY = "second";
  private static final int TASKS_BEFORE = 1_000;
  private static final int TASKS_LOST = 1_000;
  private static final int TASKS_AFTER = 500;

  /** How many numbers are drawn: more than the 32 that a server writes into its log at once. */
  private static final int NUMBERS_AHEAD = 40;

  private static final String SEQUENCES =
      "select schemaname || '.' || sequencename from pg_sequences where schemaname = 'rota'";
  private static final String DRAW = "select max(nextval('%s')) from generate_series(1, %d)";

  private FailoverFaults() {}

  /** Starts the other server when the first one is dead. */
  @FunctionalInterface
  private interface Successor {
    ControlledServer start() throws Exception;
  }

  /** Promotes a standby that has received all acknowledged transactions. */
  static void promoteSynchronous(ActiveFault fault) throws Exception {
    CampaignEnvironment environment = fault.environment();
    try (BaseBackup backup = environment.server().baseBackup()) {
      ControlledServer standby = backup.standbyOf(environment.server().port(), STANDBY).start();
      environment.server().awaitStreaming(STANDBY);
      waitForStandby(environment.server());
      awaitTasks(environment, TASKS_BEFORE);
      replace(fault, next -> {}, () -> promoted(standby));
    }
  }

  /** Promotes a standby that was cut off first: later log never reaches it. */
  static void promoteLagging(ActiveFault fault) throws Exception {
    CampaignEnvironment environment = fault.environment();
    try (BaseBackup backup = environment.server().baseBackup();
        FaultProxy network = FaultProxy.to(environment.server().port())) {
      ControlledServer standby = backup.standbyOf(network.port(), STANDBY).start();
      environment.server().awaitStreaming(STANDBY);
      awaitTasks(environment, TASKS_BEFORE);
      awaitReplayed(environment.server(), standby);
      long from = System.currentTimeMillis();
      network.close();
      replace(fault, goOnInVain(fault, from), () -> promoted(standby));
    }
  }

  static void restoreBackup(ActiveFault fault) throws Exception {
    CampaignEnvironment environment = fault.environment();
    long from = System.currentTimeMillis();
    try (BaseBackup backup = environment.server().baseBackup()) {
      replace(fault, goOnInVain(fault, from), backup.restored()::start);
    }
  }

  /**
   * Continues work that the successor never has, by processes that draw their numbers now, so that
   * the successor gives the same ones to others.
   */
  private static ActiveFault.Act<ControlledServer> goOnInVain(ActiveFault fault, long from)
      throws Exception {
    CampaignEnvironment environment = fault.environment();
    drawFurther(environment.server());
    for (ProcessSupervisor supervisor :
        List.of(environment.workers().get(0), environment.producers().get(0))) {
      fault.with(supervisor, ProcessSupervisor::startNext);
    }
    Map<String, Long> drawn = lastNumbers(environment.server());
    awaitTasks(environment, TASKS_LOST);
    return next -> {
      drawUpTo(next, drawn);
      environment.lostPasts().add(new LostPast(from, System.currentTimeMillis()));
    };
  }

  /** Draws beyond the numbers in the server's log: a recovering sequence leaves numbers out. */
  private static void drawFurther(ControlledServer server) throws SQLException {
    for (String sequence : server.texts(SEQUENCES)) {
      server.number(DRAW.formatted(sequence, NUMBERS_AHEAD));
    }
  }

  private static Map<String, Long> lastNumbers(ControlledServer server) throws SQLException {
    Map<String, Long> numbers = new HashMap<>();
    for (String sequence : server.texts(SEQUENCES)) {
      numbers.put(sequence, server.number("select last_value from " + sequence));
    }
    return numbers;
  }

  private static void drawUpTo(ControlledServer server, Map<String, Long> numbers)
      throws SQLException {
    Map<String, Long> now = lastNumbers(server);
    for (Map.Entry<String, Long> each : numbers.entrySet()) {
      long missing = each.getValue() - now.getOrDefault(each.getKey(), each.getValue());
      if (missing > 0) {
        server.number(DRAW.formatted(each.getKey(), missing));
      }
    }
  }

  private static void replace(
      ActiveFault fault, ActiveFault.Act<ControlledServer> preparation, Successor successor)
      throws Exception {
    CampaignEnvironment environment = fault.environment();
    ProcessSupervisor sleeper = environment.workers().get(0);
    List<ProcessSupervisor> renewed =
        List.of(environment.workers().get(1), environment.producers().get(1));
    long from = System.currentTimeMillis();
    sleeper.process().freeze();
    environment.server().kill();
    ControlledServer next = successor.start();
    preparation.on(next);
    environment.moveTo(next);
    for (ProcessSupervisor supervisor : renewed) {
      supervisor.process().kill();
      supervisor.startNext();
    }
    long silent = System.currentTimeMillis();
    environment.disturbances().add(fault.kind().name(), Disturbances.ALL, from, silent);
    awaitTasks(environment, TASKS_AFTER);
    sleeper.process().wake();
    environment
        .disturbances()
        .add(Disturbances.FREEZE_WORKER, sleeper.name(), from, System.currentTimeMillis());
  }

  private static ControlledServer promoted(ControlledServer standby) throws Exception {
    standby.promote();
    return standby;
  }

  private static void waitForStandby(ControlledServer server) throws Exception {
    server.execute("alter system set synchronous_standby_names = '" + STANDBY + "'");
    server.execute("select pg_reload_conf()");
    Await.until(
        "commits wait for the standby",
        () ->
            server.number("select count(*) from pg_stat_replication where sync_state = 'sync'")
                > 0);
  }

  /** Waits until the standby has replayed the log written so far. */
  private static void awaitReplayed(ControlledServer server, ControlledServer standby)
      throws Exception {
    String written = server.texts("select pg_current_wal_lsn()").get(0);
    String replayed = "select case when pg_last_wal_replay_lsn() >= '%s' then 1 else 0 end";
    Await.until(
        "the standby has what is written now",
        () -> standby.number(replayed.formatted(written)),
        1);
  }

  private static void awaitTasks(CampaignEnvironment environment, int count) throws Exception {
    Progress progress = new Progress(environment.directory());
    long goal = progress.succeeded() + count;
    Await.atLeast(count + " more tasks succeed", () -> progress.succeeded(), goal);
  }
}
