package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.Steps;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Restores one tenant into new databases by processes that are killed, checked and repeated. */
final class RestoreDrill implements AutoCloseable {

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at')::text from rota.archive a order by seq";

  private final Path folder;
  private final TransferFixture lost;
  private final List<String> manifest;
  private final Map<String, Integer> kills = new TreeMap<>();
  private int restores;

  RestoreDrill(Path folder) throws Exception {
    this.folder = folder;
    this.lost = new TransferFixture(folder.resolve("lost"));
    lost.withArchive("acme");
    this.manifest = lost.texts(MANIFEST);
  }

  /** The number of killed processes by step. */
  Map<String, Integer> kills() {
    return kills;
  }

  /** Kills restores at each of their moments; returns the names of these. */
  List<String> killAtEach() throws Exception {
    List<String> names = names();
    for (String step : names) {
      killAt(step);
    }
    return names;
  }

  private List<String> names() throws Exception {
    try (TransferFixture fresh = fresh();
        JavaProcess process = process(fresh, Steps.NONE)) {
      assertThat(process.nextLine()).isEqualTo(TransferProcess.DONE);
      assertThat(Integer.parseInt(process.nextLine())).isPositive();
      return Steps.parse(process.nextLine());
    }
  }

  private void killAt(String step) throws Exception {
    try (TransferFixture fresh = fresh();
        Archive archive = fresh.archive(ObjectStore.folder(lost.kept()))) {
      String reached = run(fresh, step);
      String when = "killed at step " + step + ", " + reached;
      kills.merge(reached, 1, Integer::sum);
      assertThat(manifest).as(when).containsAll(fresh.texts(MANIFEST));
      assertThat(fresh.texts("select 1 from rota.tenant where not closed or not legal_hold"))
          .as(when)
          .isEmpty();
      RestoreReport report =
          TenantTransfer.over(fresh.rota(), archive)
              .restoreTenant("acme", RestoreOptions.defaults().takingOver());
      assertThat(report.problems()).as(when).isEmpty();
      assertThat(fresh.texts(MANIFEST)).as(when).isEqualTo(manifest);
      assertThat(fresh.rota().tenants().register("next").number()).as(when).isEqualTo(2);
    }
  }

  private TransferFixture fresh() throws Exception {
    TransferFixture fresh = new TransferFixture(folder.resolve("fresh-" + ++restores));
    fresh.execute("update rota.archive_owner set id = gen_random_uuid()");
    return fresh;
  }

  /** Runs a process, and returns its last line. */
  private String run(TransferFixture fresh, String step) throws Exception {
    try (JavaProcess process = process(fresh, step)) {
      return process.nextLine();
    }
  }

  private JavaProcess process(TransferFixture fresh, String step) throws Exception {
    return JavaProcess.start(
        TransferProcess.class,
        "restore",
        "acme",
        folder.toString(),
        fresh.database().jdbcUrl(),
        lost.kept().toString(),
        fresh.staging().toString(),
        step);
  }

  @Override
  public void close() throws Exception {
    lost.close();
  }
}
