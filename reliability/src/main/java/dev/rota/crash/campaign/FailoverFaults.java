package dev.rota.crash.campaign;

import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.LostPast;
import dev.rota.crash.server.BaseBackup;
import dev.rota.crash.server.ControlledServer;
import dev.rota.crash.server.FaultProxy;
import dev.rota.processes.Waiting;
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
  static void promoteSynchronous(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    try (BaseBackup backup = field.server().baseBackup()) {
      ControlledServer standby = backup.standbyOf(field.server().port(), STANDBY).start();
      field.server().awaitStreaming(STANDBY);
      waitForStandby(field.server());
      awaitTasks(field, TASKS_BEFORE);
      replace(strike, next -> {}, () -> promoted(standby));
    }
  }

  /** Promotes a standby that was cut off first: later log never reaches it. */
  static void promoteLagging(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    try (BaseBackup backup = field.server().baseBackup();
        FaultProxy network = FaultProxy.to(field.server().port())) {
      ControlledServer standby = backup.standbyOf(network.port(), STANDBY).start();
      field.server().awaitStreaming(STANDBY);
      awaitTasks(field, TASKS_BEFORE);
      awaitReplayed(field.server(), standby);
      long from = System.currentTimeMillis();
      network.close();
      replace(strike, goOnInVain(strike, from), () -> promoted(standby));
    }
  }

  static void restoreBackup(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    long from = System.currentTimeMillis();
    try (BaseBackup backup = field.server().baseBackup()) {
      replace(strike, goOnInVain(strike, from), backup.restored()::start);
    }
  }

  /**
   * Continues work that the successor never has, by processes that draw their numbers now, so that
   * the successor gives the same ones to others.
   */
  private static FaultStrike.Act<ControlledServer> goOnInVain(FaultStrike strike, long from)
      throws Exception {
    CampaignEnvironment field = strike.field();
    drawFurther(field.server());
    for (ProcessSupervisor station : List.of(field.workers().get(0), field.producers().get(0))) {
      strike.with(station, ProcessSupervisor::startNext);
    }
    Map<String, Long> drawn = lastNumbers(field.server());
    awaitTasks(field, TASKS_LOST);
    return next -> {
      drawUpTo(next, drawn);
      field.lostPasts().add(new LostPast(from, System.currentTimeMillis()));
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
      FaultStrike strike, FaultStrike.Act<ControlledServer> preparation, Successor successor)
      throws Exception {
    CampaignEnvironment field = strike.field();
    ProcessSupervisor sleeper = field.workers().get(0);
    List<ProcessSupervisor> renewed = List.of(field.workers().get(1), field.producers().get(1));
    long from = System.currentTimeMillis();
    sleeper.process().freeze();
    field.server().kill();
    ControlledServer next = successor.start();
    preparation.on(next);
    field.moveTo(next);
    for (ProcessSupervisor station : renewed) {
      station.process().kill();
      station.startNext();
    }
    long silent = System.currentTimeMillis();
    field.disturbances().add(strike.kind().name(), Disturbances.ALL, from, silent);
    awaitTasks(field, TASKS_AFTER);
    sleeper.process().wake();
    field
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
    Waiting.until(
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
    Waiting.until(
        "the standby has what is written now",
        () -> standby.number(replayed.formatted(written)) == 1);
  }

  private static void awaitTasks(CampaignEnvironment field, int count) throws Exception {
    Progress progress = new Progress(field.directory());
    long goal = progress.succeeded() + count;
    Waiting.until(count + " more tasks succeed", () -> progress.succeeded() >= goal);
  }
}
