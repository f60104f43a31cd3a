package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Tenant;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.KillDrill;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Exports a tenant from one database, and imports the last export into another one, each time anew.
 */
final class TransferOperations implements AutoCloseable {

  private final Path folder;
  private final TransferFixture source;
  private final TransferFixture target;
  private final Tenant tenant;
  private final Map<String, List<String>> state;
  private Path export;
  private int moves;

  TransferOperations(Path folder) throws Exception {
    this.folder = folder;
    this.export = folder;
    this.source = new TransferFixture(folder.resolve("source"));
    this.target = new TransferFixture(folder.resolve("target"));
    this.tenant = source.withArchive("acme");
    source.enrich(tenant).settle();
    this.state = source.state(tenant.number());
  }

  KillDrill.Operation exporting() {
    return new Exporting();
  }

  KillDrill.Operation importing() {
    return new Importing();
  }

  private final class Exporting implements KillDrill.Operation {

    @Override
    public JavaProcess start(String step) throws Exception {
      export = folder.resolve("export-" + ++moves);
      TransferProcess.Site site = new TransferProcess.Site(source, source.kept());
      return TransferProcess.start(step, TransferProcess.EXPORT, "acme", export, site);
    }

    @Override
    public void afterKill(String when) throws Exception {
      assertThat(source.state(tenant.number())).as("export " + when).isEqualTo(state);
      if (!Files.exists(export.resolve("manifest.json"))) {
        int files =
            TenantTransfer.over(source.rota(), source.archive())
                .exportTenant("acme", export)
                .files();
        assertThat(files).as("export " + when).isPositive();
      }
    }

    @Override
    public void afterEnd(String files) {
      assertThat(Integer.parseInt(files)).isPositive();
    }
  }

  private final class Importing implements KillDrill.Operation {

    private String name = "";

    @Override
    public JavaProcess start(String step) throws Exception {
      name = "acme " + moves;
      TransferProcess.Site site = new TransferProcess.Site(target, target.kept());
      return TransferProcess.start(step, TransferProcess.IMPORT, name, export, site);
    }

    @Override
    public void afterKill(String when) throws Exception {
      for (String number :
          target.texts(
              "select number from rota.tenant where importing and name = '" + name + "'")) {
        Map<String, List<String>> half = target.state(Integer.parseInt(number));
        assertThat(half.get("pending")).as("import " + when).isEmpty();
        assertThat(half.get("history")).as("import " + when).isEmpty();
        assertThat(target.texts("select closed from rota.tenant where number = " + number))
            .as("import " + when)
            .containsExactly("t");
      }
      int number =
          TenantTransfer.over(target.rota(), target.archive()).importTenant(export, name).number();
      Map<String, List<String>> moved = target.state(number);
      for (Map.Entry<String, List<String>> each : state.entrySet()) {
        assertThat(moved.get(each.getKey()))
            .as("import " + when + ": " + each.getKey())
            .isEqualTo(each.getValue());
      }
    }

    @Override
    public void afterEnd(String files) {
      assertThat(Integer.parseInt(files)).isPositive();
    }
  }

  /** Checks that no unknown data are left. */
  void finish() throws Exception {
    assertThat(target.texts("select name from rota.tenant where importing")).isEmpty();
    try (ObjectStore store = ObjectStore.folder(target.kept())) {
      List<String> known = target.texts("select key from rota.archive");
      known.add("_rota_owner");
      assertThat(store.list("").stream().map(ObjectStore.StoredObject::key))
          .containsExactlyInAnyOrderElementsOf(known);
    }
  }

  @Override
  public void close() throws Exception {
    source.close();
    target.close();
  }
}
