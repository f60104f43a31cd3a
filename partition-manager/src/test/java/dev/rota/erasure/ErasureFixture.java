package dev.rota.erasure;

import dev.rota.Batch;
import dev.rota.FatalTaskException;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.daemon.ArchivingDaemon;
import dev.rota.daemon.RotationDaemon;
import dev.rota.graph.TaskGraph;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** A database with an archive, and tenants that have data of every kind. */
public final class ErasureFixture extends RotaFixture {

  private final Path kept;

  /** Creates one over a migrated database, with an archive in a folder. */
  public ErasureFixture(TestDatabase database, Path folder) throws IOException {
    super(database, builder -> builder.registryRefresh(Duration.ofMillis(100)));
    kept = Files.createDirectories(folder.resolve("kept"));
  }

  public String jdbcUrl() {
    return database().jdbcUrl();
  }

  public Path kept() {
    return kept;
  }

  public Archive archive() {
    return archive(ObjectStore.folder(kept));
  }

  public static Archive archive(ObjectStore store) {
    return Archive.in(store).grace(Duration.ZERO).share(1).build();
  }

  /** Closed ones, each with archived and hot history, pending tasks, and rows of each feature. */
  public void furnish(String... names) throws Exception {
    List<Tenant> tenants = rota().tenants().registerAll(List.of(names));
    for (Tenant tenant : tenants) {
      work(tenant, 5);
    }
    archiveAll(tenants);
    for (Tenant tenant : tenants) {
      work(tenant, 3);
      tenant.enqueueAll(Collections.nCopies(4, NewTask.of("pending", "{}")));
      tenant.enqueue(NewTask.of("urgent", "{}").priority(7));
      tenant.enqueue(NewTask.of("keyed", "{}").withKey("k"));
      tenant.enqueue(NewTask.of("later", "{}").after(Duration.ofDays(1)));
      tenant
          .schedules()
          .add(Schedule.every("nightly", Duration.ofDays(1), NewTask.of("nightly", "{}")));
      tenant.assignments().workers("pool").add(List.of(1L));
      TaskGraph.Builder graph = TaskGraph.builder();
      graph.add(NewTask.of("node", "{}"));
      tenant.graphs().enqueue(graph.build());
      execute(
          "insert into rota.statistic values (%d, now(), 1, 0, 0, 0, 0, 0, 0, 'k')"
              .formatted(tenant.number()));
      execute(
          "insert into rota.audit (tenant, actor, action, about) values (%1$d, 'a', 'b', 'about %1$d')"
              .formatted(tenant.number()));
      fail(tenant, 1, "all");
      fail(tenant, 1 + tenant.number(), "only " + tenant.number());
      rota().controls().pause(Scope.tenant(tenant.name()), "it is leaving");
      rota().tenants().close(tenant.name());
    }
  }

  /** Counts a failure with an error, as workers do. */
  private void fail(Tenant tenant, int fingerprint, String error) throws Exception {
    execute(
        """
        insert into rota.tenant_error
        values (%1$d, '2030-01-31 08:00+00', %2$d, 1, 0, now(), 1, 'k');
        insert into rota.error_statistic
        values ('2030-01-31 08:00+00', %2$d, 1, 0, now(), 1, %1$d, 'k', '%3$s')
        on conflict (hour, kind, fingerprint) do nothing"""
            .formatted(tenant.number(), fingerprint, error));
  }

  /** One that holds nothing. */
  void closedTenant(String name) {
    Tenant tenant = rota().tenants().register(name);
    rota().tenants().close(tenant.name());
  }

  /** Marks the archive as that of this database, as its first archiver does. */
  void ownArchive() throws Exception {
    Files.writeString(kept.resolve("_rota_owner"), text("select id from rota.archive_owner"));
  }

  /** One dies, the others are done. */
  public static void work(Tenant tenant, int tasks) {
    tenant.enqueueAll(Collections.nCopies(tasks, NewTask.of("work", "{}")));
    for (int ended = 0; ended < tasks; ) {
      // Another worker that looks for work of its own may be at the gate.
      try (Batch batch = tenant.claim(tasks)) {
        for (Task task : batch) {
          if (ended++ == 0) {
            batch.fail(task, new FatalTaskException("no luck"));
          }
        }
        batch.settle();
      }
    }
  }

  /** Their segments leave the database. */
  private void archiveAll(List<Tenant> tenants) throws Exception {
    try (Archive archive = archive();
        RotationDaemon daemon = ArchivingDaemon.start(rota(), archive, Duration.ZERO)) {
      for (Tenant tenant : tenants) {
        await(
            tenant.name() + " is archived",
            "select count(*) > 0 from rota.segment where dropped_at is not null and tenant = "
                + tenant.number());
      }
      daemon.close();
    }
  }

  /** Names of everything in the database that has the tenant's number, and keys of its objects. */
  public List<String> leftOf(int number) throws Exception {
    return new Belongings(this::texts, kept).leftOf(number);
  }

  /** What a receipt of the tenant is to name, as it is now: tables with their rows, and objects. */
  public List<String> belongings(int number) throws Exception {
    return new Belongings(this::texts, kept).of(number);
  }

  public Connection connect() throws SQLException {
    return database().connect();
  }

  public String text(String sql) throws SQLException {
    return texts(sql).get(0);
  }

  @Override
  public List<String> texts(String sql) throws SQLException {
    return super.texts(sql).stream().map(String::valueOf).toList();
  }

  /** Waits until a query answers that it is true. */
  public void await(String what, String query) throws Exception {
    Await.until(what, () -> text(query).equals("t"));
  }
}
