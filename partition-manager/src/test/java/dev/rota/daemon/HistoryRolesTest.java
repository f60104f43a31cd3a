package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.ChosenVersions;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.erasure.TenantEraser;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TenantTransfer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests the handling of history with the rights of one role alone. */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class HistoryRolesTest {

  private static final int TASKS = 30;

  @Parameter int major;
  @TempDir Path folder;

  private RoleLogins logins;
  private Archive archive;

  @BeforeEach
  void archiveSome() throws Exception {
    logins = RoleLogins.onVersion(major);
    Path kept = Files.createDirectory(folder.resolve("kept"));
    archive = Archive.in(ObjectStore.folder(kept)).grace(Duration.ZERO).share(1).build();
    try (Rota daemons = rota("daemon");
        Rota applications = rota("application");
        RotationDaemon daemon = ArchivingDaemon.start(daemons, archive, Duration.ZERO)) {
      daemons.tenants().register("acme");
      Tenant acme = applications.tenants().get("acme");
      acme.enqueueAll(tasks("k", TASKS));
      try (Batch batch = acme.claim(TASKS)) {
        batch.settle();
      }
      Await.until(
          "its history is in the archive alone",
          () -> daemon.statistics().segments().dropped() > 0 && daemon.isLeading());
    }
  }

  @AfterEach
  void close() {
    archive.close();
    logins.close();
  }

  @Test
  void eachRoleDoesItsPart() throws Exception {
    Path export = folder.resolve("export");
    exportAndImport(export);
    assertReadsOnly("application", export);
    assertReadsOnly("reader", export);
    restoreAsOwner();
    erase();
  }

  private void exportAndImport(Path export) {
    try (Rota rota = rota("daemon")) {
      TenantTransfer transfer = TenantTransfer.over(rota, archive);
      transfer.exportTenant("acme", export);
      transfer.importTenant(export, "copy");
      assertThat(done(rota, "copy")).isEqualTo(TASKS);
    }
  }

  private void assertReadsOnly(String role, Path export) throws Exception {
    List<String> before = registry();
    try (Rota rota = rota(role)) {
      assertThat(done(rota, "acme")).isEqualTo(TASKS);
      TenantTransfer transfer = TenantTransfer.over(rota, archive);
      assertRefused(() -> eraser(rota).erase("acme"));
      assertRefused(() -> transfer.importTenant(export, "another"));
      assertRefused(() -> transfer.restoreTenant("acme", RestoreOptions.defaults()));
      assertRefused(
          () ->
              rota.tenants()
                  .get("acme")
                  .history()
                  .changeRetention(policy -> policy.legalHold(true)));
      assertThat(done(rota, "acme")).isEqualTo(TASKS);
    }
    assertThat(registry()).isEqualTo(before);
  }

  private void restoreAsOwner() throws Exception {
    logins.database().execute("delete from rota.archive where tenant = 1");
    try (Rota rota = rota("owner")) {
      TenantTransfer.over(rota, archive).restoreTenant("acme", RestoreOptions.defaults());
      assertThat(done(rota, "acme")).isEqualTo(TASKS);
    }
  }

  private void erase() {
    try (Rota rota = rota("daemon")) {
      assertThat(eraser(rota).erase("acme").archivedRows()).isEqualTo(TASKS);
      assertThat(rota.tenants().find("acme")).isEmpty();
      assertThat(done(rota, "copy")).isEqualTo(TASKS);
    }
  }

  private TenantEraser eraser(Rota rota) {
    return TenantEraser.builder(rota).archive(archive).closing(true).build();
  }

  private Rota rota(String role) {
    return logins.rota(role, builder -> builder.archive(archive));
  }

  private static long done(Rota rota, String tenant) {
    HistoryFilter done = HistoryFilter.all().states(TaskState.DONE);
    return rota.tenants().get(tenant).history().count(done).counts().stream()
        .mapToLong(HistoryCounts.Count::attempts)
        .sum();
  }

  private List<String> registry() throws Exception {
    return logins
        .database()
        .texts(
            "select t::text from rota.tenant t union all select a::text from rota.archive a"
                + " union all select s::text from rota.segment s"
                + " union all select e::text from rota.erasure e order by 1")
        .stream()
        .map(String::valueOf)
        .toList();
  }

  private static void assertRefused(Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOf(RotaException.class)
        .hasMessageMatching(
            "(?s).*(permission denied|must be owner|only the owner of the registry may).*");
  }
}
