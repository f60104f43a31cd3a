package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.KillDrill;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Path;
import java.util.List;

/** Restores the archived history of one tenant, each time into a new database. */
final class RestoreOperation implements KillDrill.Operation, AutoCloseable {

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at')::text from rota.archive a order by seq";

  private final Path folder;
  private final TransferFixture lost;
  private final List<String> manifest;
  private TransferFixture fresh;
  private int restores;

  RestoreOperation(Path folder) throws Exception {
    this.folder = folder;
    this.lost = new TransferFixture(folder.resolve("lost"));
    lost.withArchive("acme");
    this.manifest = lost.texts(MANIFEST);
    this.fresh = new TransferFixture(folder.resolve("fresh"));
  }

  @Override
  public JavaProcess start(String step) throws Exception {
    fresh.close();
    fresh = new TransferFixture(folder.resolve("fresh-" + ++restores));
    fresh.execute("update rota.archive_owner set id = gen_random_uuid()");
    TransferProcess.Site site = new TransferProcess.Site(fresh, lost.kept());
    return TransferProcess.start(step, TransferProcess.RESTORE, "acme", folder, site);
  }

  @Override
  public void afterKill(String when) throws Exception {
    assertThat(manifest).as(when).containsAll(fresh.texts(MANIFEST));
    assertThat(fresh.texts("select 1 from rota.tenant where not closed or not legal_hold"))
        .as(when)
        .isEmpty();
    try (Archive archive = fresh.archive(ObjectStore.folder(lost.kept()))) {
      RestoreReport report =
          TenantTransfer.over(fresh.rota(), archive)
              .restoreTenant("acme", RestoreOptions.defaults().takingOver());
      assertThat(report.problems()).as(when).isEmpty();
    }
    assertThat(fresh.texts(MANIFEST)).as(when).isEqualTo(manifest);
    assertThat(fresh.rota().tenants().register("next").number()).as(when).isEqualTo(2);
  }

  @Override
  public void afterEnd(String files) {
    assertThat(Integer.parseInt(files)).isPositive();
  }

  @Override
  public void close() throws Exception {
    fresh.close();
    lost.close();
  }
}
