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
  static void archived(ScenarioEnvironment stage, String label) throws SQLException {
    DaemonScenarios.runOne(stage, label);
    DaemonScenarios.sealOldSegment(stage);
    stage.bench().archivist().perform(ARCHIVE, DROP);
  }

  private static void sealed(ScenarioEnvironment stage, String label) throws SQLException {
    DaemonScenarios.runOne(stage, label);
    DaemonScenarios.sealOldSegment(stage);
    stage.archiveAtLast();
  }

  private static CrashScenario.Act act(ScenarioEnvironment stage, String duty) {
    return () -> stage.archivist().perform(duty);
  }

  private static CrashScenario.Act archive(ScenarioEnvironment stage) throws SQLException {
    sealed(stage, "a");
    return act(stage, ARCHIVE)
        .until(
            "it is archived",
            () ->
                stage.is(
                    "1",
                    "select count(*) from rota.archive where tenant = %1$d and rows = 1"
                        + " and archived_at is not null"));
  }

  private static CrashScenario.Act drop(ScenarioEnvironment stage) throws SQLException {
    sealed(stage, "a");
    stage.bench().archivist().perform(ARCHIVE);
    return act(stage, DROP).until("it is dropped", () -> stage.is("1", DROPPED));
  }

  /** Finds a segment changed: a task that died was redriven since. */
  private static CrashScenario.Act findChanged(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    try (Batch batch = stage.sound().claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    DaemonScenarios.sealOldSegment(stage);
    stage.archiveAtLast();
    stage.bench().archivist().perform(ARCHIVE);
    stage.sound().control().redrive(Redrive.all());
    return act(stage, DROP)
        .until(
            "it is to be archived again",
            () ->
                stage.is(
                    "1",
                    "select count(*) from rota.archive where tenant = %1$d"
                        + " and archived_at is null"));
  }

  /** Misses an object: an operator has lost it, and puts it back once that was recorded. */
  private static CrashScenario.Act miss(ScenarioEnvironment stage)
      throws SQLException, IOException {
    sealed(stage, "a");
    stage.bench().archivist().perform(ARCHIVE);
    ArchiveFolder archive = stage.bench().archive();
    archive.mislay(stage.text("select key from rota.archive where tenant = %1$d"));
    CrashScenario.Act noting =
        act(stage, DROP)
            .until(
                "the trouble is noted",
                () ->
                    stage.is(
                        "t",
                        "select trouble like '%%no longer in the archive%%' from rota.archive"
                            + " where tenant = %1$d"));
    return () -> {
      noting.run();
      archive.putBack();
    };
  }

  private static CrashScenario.Act expire(ScenarioEnvironment stage) throws SQLException {
    archived(stage, "a");
    stage.expect("", "a");
    stage.execute("update rota.tenant set keep_archive = '0' where number = %1$d");
    return act(stage, EXPIRE)
        .until(
            "it is forgotten",
            () -> stage.is("0", "select count(*) from rota.archive where tenant = %1$d"));
  }

  private static CrashScenario.Act sweep(ScenarioEnvironment stage)
      throws SQLException, IOException {
    ArchiveFolder archive = stage.bench().archive();
    int erased = 1_000_000 + stage.sound().number();
    stage.execute(
        "insert into rota.erasure (tenant, name, finished_at) values ("
            + erased
            + ", 'gone', now())");
    archive.putStray("tenant=" + erased + "/hour=2030-01-31T08Z/seq=1.parquet");
    AutoCloseable unused = stage.closeLater(() -> stage.bench().remove(erased));
    return act(stage, "delete late objects of erased tenants")
        .until("none is left", () -> archive.keys(erased).isEmpty());
  }

  private static CrashScenario.Act replay(ScenarioEnvironment stage) throws SQLException {
    archived(stage, "cold");
    DaemonScenarios.runOne(stage, "hot");
    stage.expect("done,done", "cold", "hot");
    Replay once = Replay.of(HistoryFilter.all()).once("again");
    return () -> stage.tapped().control().replay(once);
  }

  private static ForeignHistory foreign(ScenarioEnvironment stage) {
    Path copies = stage.bench().archive().copies();
    return ForeignHistory.in(stage.rota(), stage.archive(), copies, copies);
  }

  private static CrashScenario.Act attach(ScenarioEnvironment stage) throws SQLException {
    archived(stage, "a");
    CrashScenario.Act act = () -> foreign(stage).attach(stage.tapped());
    return act.until(
        "it can be read",
        () ->
            stage.is("a done", "select payload || ' ' || state from rota_%1$d.task_archive_%1$d")
                && copies(stage) == 1);
  }

  /** Attaches less: an attached segment has expired. */
  private static CrashScenario.Act attachLess(ScenarioEnvironment stage) throws SQLException {
    archived(stage, "a");
    ForeignHistory.Attached unused = foreign(stage).attach(stage.tapped());
    stage.expect("", "a");
    stage.execute("update rota.tenant set keep_archive = '0' where number = %1$d");
    stage.bench().archivist().perform(EXPIRE);
    CrashScenario.Act act = () -> foreign(stage).attach(stage.tapped());
    return act.until(
        "there is nothing to read",
        () -> stage.is("0", "select count(*) from rota_%1$d.task_archive_%1$d"));
  }

  private static CrashScenario.Act detach(ScenarioEnvironment stage) throws SQLException {
    archived(stage, "a");
    ForeignHistory foreign = foreign(stage);
    ForeignHistory.Attached unused = foreign.attach(stage.tapped());
    CrashScenario.Act act = () -> foreign.detach(stage.tapped());
    return act.until(
        "nothing of it is left",
        () ->
            stage.is("t", "select to_regclass('rota_%1$d.task_archive_%1$d') is null")
                && copies(stage) == 0);
  }

  private static long copies(ScenarioEnvironment stage) throws IOException {
    return stage.bench().archive().countCopies(stage.sound().number());
  }
}
