package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.lengthy;

import dev.rota.Batch;
import dev.rota.archive.ForeignHistory;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.history.HistoryFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** Scenarios of old segments: the archive, its readers, and its end. */
final class HistoryScenarios {

  private static final String ARCHIVE = "archive segments of history";
  private static final String DROP = "drop archived segments of history";

  private static final String EXPIRE = "delete what is archived long enough";

  private static final String DROPPED =
      "select count(*) from rota.segment s join rota.archive a using (tenant, seq)"
          + " where tenant = %1$d and dropped_at is not null and archived_at is not null"
          + " and to_regclass('rota_%1$d.task_hist_%1$d_1') is null";

  private HistoryScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        lengthy("archive a segment", HistoryScenarios::archive),
        lengthy("drop an archived segment", HistoryScenarios::drop),
        lengthy("find an archived segment changed", HistoryScenarios::findChanged),
        lengthy("miss an archived object", HistoryScenarios::miss),
        lengthy("delete what is archived long enough", HistoryScenarios::expire),
        lengthy("delete late objects of an erased tenant", HistoryScenarios::sweep),
        lengthy("replay archived tasks", HistoryScenarios::replay),
        lengthy("attach the archive for readers with SQL", HistoryScenarios::attach),
        lengthy("attach what is left of the archive", HistoryScenarios::attachLess),
        lengthy("detach the archive", HistoryScenarios::detach));
  }

  /** Creates a task that is only in the archive. */
  static void archived(ScenarioEnvironment environment, String label) throws SQLException {
    DaemonScenarios.runOne(environment, label);
    DaemonScenarios.sealOldSegment(environment);
    environment.bench().archivist().perform(ARCHIVE, DROP);
  }

  private static void sealed(ScenarioEnvironment environment, String label) throws SQLException {
    DaemonScenarios.runOne(environment, label);
    DaemonScenarios.sealOldSegment(environment);
    environment.archiveAtLast();
  }

  private static CrashScenario.Act act(ScenarioEnvironment environment, String duty) {
    return () -> environment.archivist().perform(duty);
  }

  private static CrashScenario.Act archive(ScenarioEnvironment environment) throws SQLException {
    sealed(environment, "a");
    return act(environment, ARCHIVE)
        .until(
            "it is archived",
            () ->
                environment.is(
                    "1",
                    "select count(*) from rota.archive where tenant = %1$d and rows = 1"
                        + " and archived_at is not null"));
  }

  private static CrashScenario.Act drop(ScenarioEnvironment environment) throws SQLException {
    sealed(environment, "a");
    environment.bench().archivist().perform(ARCHIVE);
    return act(environment, DROP).until("it is dropped", () -> environment.is("1", DROPPED));
  }

  /** Finds a segment changed: a task that died was redriven since. */
  private static CrashScenario.Act findChanged(ScenarioEnvironment environment)
      throws SQLException {
    environment.enqueue("a");
    try (Batch batch = environment.sound().claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    DaemonScenarios.sealOldSegment(environment);
    environment.archiveAtLast();
    environment.bench().archivist().perform(ARCHIVE);
    environment.sound().control().redrive(Redrive.all());
    return act(environment, DROP)
        .until(
            "it is to be archived again",
            () ->
                environment.is(
                    "1",
                    "select count(*) from rota.archive where tenant = %1$d"
                        + " and archived_at is null"));
  }

  /** Misses an object: an operator has lost it, and puts it back once that was recorded. */
  private static CrashScenario.Act miss(ScenarioEnvironment environment)
      throws SQLException, IOException {
    sealed(environment, "a");
    environment.bench().archivist().perform(ARCHIVE);
    ArchiveFolder archive = environment.bench().archive();
    archive.mislay(environment.text("select key from rota.archive where tenant = %1$d"));
    CrashScenario.Act noting =
        act(environment, DROP)
            .until(
                "the trouble is noted",
                () ->
                    environment.is(
                        "t",
                        "select trouble like '%%no longer in the archive%%' from rota.archive"
                            + " where tenant = %1$d"));
    return () -> {
      noting.run();
      archive.putBack();
    };
  }

  private static CrashScenario.Act expire(ScenarioEnvironment environment) throws SQLException {
    archived(environment, "a");
    environment.expect("", "a");
    environment.execute("update rota.tenant set keep_archive = '0' where number = %1$d");
    return act(environment, EXPIRE)
        .until(
            "it is forgotten",
            () -> environment.is("0", "select count(*) from rota.archive where tenant = %1$d"));
  }

  private static CrashScenario.Act sweep(ScenarioEnvironment environment)
      throws SQLException, IOException {
    ArchiveFolder archive = environment.bench().archive();
    int erased = 1_000_000 + environment.sound().number();
    environment.execute(
        "insert into rota.erasure (tenant, name, finished_at) values ("
            + erased
            + ", 'gone', now())");
    archive.putStray("tenant=" + erased + "/hour=2030-01-31T08Z/seq=1.parquet");
    AutoCloseable unused = environment.closeLater(() -> environment.bench().remove(erased));
    return act(environment, "delete late objects of erased tenants")
        .until("none is left", () -> archive.keys(erased).isEmpty());
  }

  private static CrashScenario.Act replay(ScenarioEnvironment environment) throws SQLException {
    archived(environment, "cold");
    DaemonScenarios.runOne(environment, "hot");
    environment.expect("done,done", "cold", "hot");
    Replay once = Replay.of(HistoryFilter.all()).once("again");
    return () -> environment.tapped().control().replay(once);
  }

  private static ForeignHistory foreign(ScenarioEnvironment environment) {
    Path copies = environment.bench().archive().copies();
    return ForeignHistory.in(environment.rota(), environment.archive(), copies, copies);
  }

  private static CrashScenario.Act attach(ScenarioEnvironment environment) throws SQLException {
    archived(environment, "a");
    CrashScenario.Act act = () -> foreign(environment).attach(environment.tapped());
    return act.until(
        "it can be read",
        () ->
            environment.is(
                    "a done", "select payload || ' ' || state from rota_%1$d.task_archive_%1$d")
                && copies(environment) == 1);
  }

  /** Attaches less: an attached segment has expired. */
  private static CrashScenario.Act attachLess(ScenarioEnvironment environment) throws SQLException {
    archived(environment, "a");
    ForeignHistory.Attached unused = foreign(environment).attach(environment.tapped());
    environment.expect("", "a");
    environment.execute("update rota.tenant set keep_archive = '0' where number = %1$d");
    environment.bench().archivist().perform(EXPIRE);
    CrashScenario.Act act = () -> foreign(environment).attach(environment.tapped());
    return act.until(
        "there is nothing to read",
        () -> environment.is("0", "select count(*) from rota_%1$d.task_archive_%1$d"));
  }

  private static CrashScenario.Act detach(ScenarioEnvironment environment) throws SQLException {
    archived(environment, "a");
    ForeignHistory foreign = foreign(environment);
    ForeignHistory.Attached unused = foreign.attach(environment.tapped());
    CrashScenario.Act act = () -> foreign.detach(environment.tapped());
    return act.until(
        "nothing of it is left",
        () ->
            environment.is("t", "select to_regclass('rota_%1$d.task_archive_%1$d') is null")
                && copies(environment) == 0);
  }

  private static long copies(ScenarioEnvironment environment) throws IOException {
    return environment.bench().archive().countCopies(environment.sound().number());
  }
}
