package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.daemon.internal.DaemonBuilder;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jooq.Name;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the daemon drops the tables of idle tenants, and of no others. */
@RotaTest
@PostgresVersions({15, 18})
class ParkingTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private static final Sql ANNOUNCE_PARKING = Sql.named("announce_parking");
  private static final Sql WITHDRAW_PARKING = Sql.named("withdraw_parking");

  private static final BoundStatement<List<List<Long>>> UPDATES =
      BoundStatement.query(
          new Sql(
              "count updates",
              "select pg_stat_get_xact_tuples_updated(c), pg_stat_get_xact_tuples_hot_updated(c)"
                  + " from (values ('rota.tenant'::regclass)) as t (c)"),
          row -> List.of(row.getLong(1), row.getLong(2)));

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant idle;

  @Test
  @Tag("exhaustive")
  void anIdleTenantKeepsItsSchemaAndNoRelation() throws Exception {
    work(acme);
    RotationDaemon daemon = daemon();
    awaitParked(acme);
    awaitParked(idle);
    Await.until("they are counted", () -> daemon.statistics().segments().parkedTenants(), 2);
    assertThat(relations(acme)).isZero();
    assertThat(fixture.tenant(acme, "park_at")).isEqualTo("null");
    assertThat(
            fixture.number(
                "select count(*) from pg_proc where pronamespace = 'rota_1'::regnamespace"))
        .isEqualTo(2);
    assertThat(
            fixture.number(
                "select count(*) from rota.segment where tenant = 1 and dropped_at is null"))
        .isZero();
  }

  @Test
  @Tag("exhaustive")
  void producersAndWorkersGoOnAcrossParkings() throws Exception {
    Map<Long, Integer> runs = new ConcurrentHashMap<>();
    fixture.closeLater(
        fixture
            .another()
            .worker()
            .handle("k", task -> runs.merge(task.id(), 1, Integer::sum))
            .start());
    Tenant elsewhere = fixture.another().tenants().get("acme");
    daemon();
    for (int round = 1; round <= 3; round++) {
      acme.enqueue(TASK.priority(round == 2 ? 7 : 0));
      elsewhere.enqueueAll(List.of(TASK, TASK.withKey("key " + round)));
      Await.until("all ran", () -> runs.size(), 3 * round);
      // Its key, which is free by then, is the last thing that the tenant has.
      awaitParked(acme);
    }
    assertThat(runs.values()).containsOnly(1);
    assertThat(Integer.parseInt(fixture.tenant(acme, "tables_made"))).isGreaterThanOrEqualTo(3);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  @Tag("exhaustive")
  void aTenantThatHoldsSomethingIsNotParked() throws Exception {
    Tenant pending = fixture.tenant("pending");
    pending.enqueue(TASK);
    Tenant waiting = fixture.tenant("waiting");
    waiting.enqueue(TASK.after(Duration.ofHours(1)));
    Tenant running = fixture.tenant("running");
    running.enqueue(TASK);
    Batch batch = fixture.closeLater(running.claim(1));
    Tenant scheduled = fixture.tenant("scheduled");
    scheduled.schedules().add(Schedule.every("later", Duration.ofHours(1), TASK));
    Tenant pooled = fixture.tenant("pooled");
    pooled.assignments().pairs("crews");
    Tenant keyed = fixture.tenant("keyed");
    keyed.enqueue(TASK.withKey("taken"));
    daemon();
    awaitParked(idle);
    List<Tenant> busy = List.of(pending, waiting, running, scheduled, pooled, keyed);
    // Another idle tenant is parked after the daemon has looked at all of these again.
    Tenant late = fixture.tenant("late");
    awaitParked(late);
    for (Tenant tenant : busy) {
      assertThat(fixture.tenant(tenant, "parked_at")).as(tenant.name()).isEqualTo("null");
    }
    assertThat(batch.settle().settled()).isEqualTo(1);
    assertThat(pending.claim(1).tasks()).hasSize(1);
  }

  @Test
  @Tag("exhaustive")
  void whatRotaCannotMakeAgainKeepsATenant() throws Exception {
    Tenant granted = fixture.tenant("granted");
    Tenant triggered = fixture.tenant("triggered");
    Tenant viewed = fixture.tenant("viewed");
    Tenant older = fixture.tenant("older");
    fixture.execute(
        """
        grant select on rota_3.task_hist_3 to pg_monitor;
        create function public.nothing() returns trigger language plpgsql as
          'begin return new; end';
        create trigger mine before insert on rota_4.task_init_4_0
          for each row execute function public.nothing();
        create view public.mine as select * from rota_5.task_init_5;
        drop function rota_6.make""");
    daemon();
    awaitParked(idle);
    awaitParked(fixture.tenant("late"));
    for (Tenant tenant : List.of(granted, triggered, viewed, older)) {
      assertThat(fixture.tenant(tenant, "parked_at")).as(tenant.name()).isEqualTo("null");
      tenant.enqueue(TASK);
      assertThat(tenant.claim(1).tasks()).hasSize(1);
    }
  }

  @Test
  @Tag("exhaustive")
  void indexesAndConstraintsOfOtherProgramsKeepATenant() throws Exception {
    List<Tenant> kept =
        Stream.of("searched", "keyed", "checked", "replicated").map(fixture::tenant).toList();
    kept.forEach(ParkingTest::workWithEveryTable);
    fixture.execute(
        """
        create index on rota_3.task_wait_3 (kind);
        create index on rota_4.task_key_4 (task_id);
        alter table rota_5.task_wait_5 add check (kind <> 'forbidden');
        alter table rota_6.task_wait_6 replica identity full""");
    workWithEveryTable(idle);
    daemon();
    awaitParked(idle);
    awaitParked(fixture.tenant("late"));
    for (Tenant tenant : kept) {
      assertThat(fixture.tenant(tenant, "parked_at")).as(tenant.name()).isEqualTo("null");
    }
  }

  @Test
  @Tag("exhaustive")
  void relationsOfOtherProgramsKeepATenant() throws Exception {
    Tenant viewed = fixture.tenant("viewed");
    List<Tenant> kept = List.of(viewed, fixture.tenant("noted"), fixture.tenant("counted"));
    fixture.execute(
        """
        create view rota_3.report as select * from rota_3.task_init_3;
        create table rota_4.notes (line text);
        create sequence rota_5.numbers""");
    daemon();
    awaitParked(idle);
    awaitParked(fixture.tenant("late"));
    for (Tenant tenant : kept) {
      assertThat(fixture.tenant(tenant, "parked_at")).as(tenant.name()).isEqualTo("null");
    }
    assertThat(
            fixture.texts(
                "select to_regclass(n)::text"
                    + " from unnest('{rota_3.report,rota_4.notes,rota_5.numbers}'::text[]) as n"))
        .containsExactly("rota_3.report", "rota_4.notes", "rota_5.numbers");
    fixture.execute("drop view rota_3.report");
    awaitParked(viewed);
  }

  /** Its files are no part of the database, and it is not made again by the next task. */
  @Test
  @Tag("exhaustive")
  void anAttachedArchiveStays() throws Exception {
    fixture.execute(
        """
        create extension file_fdw;
        create server rota_archive foreign data wrapper file_fdw;
        create table rota_1.task_archive_1 (line text);
        create foreign table rota_1.task_archive_1_1 () inherits (rota_1.task_archive_1)
          server rota_archive options (filename '/etc/passwd', delimiter E'\\x01');
        grant select on rota_1.task_archive_1 to pg_monitor""");
    daemon();
    awaitParked(acme);
    assertThat(fixture.number("select count(*) from rota_1.task_archive_1")).isPositive();
    assertThat(relations(acme)).isEqualTo(2);
    acme.enqueue(TASK);
    assertThat(acme.claim(1).tasks()).hasSize(1);
  }

  @Test
  @Tag("exhaustive")
  void archivedHistoryOfAParkedTenantCanBeRead(@TempDir Path folder) throws Exception {
    Archive archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(Files.createDirectories(folder.resolve("kept"))))
                .grace(Duration.ZERO)
                .share(1)
                .stagingFolder(folder)
                .build());
    Tenant read = fixture.another(builder -> builder.archive(archive)).tenants().get("acme");
    long id = read.enqueue(TASK);
    assertThat(read.claim(1).settle().settled()).isEqualTo(1);
    fixture.daemon(builder -> parking(builder, Duration.ofMillis(100)).archive(archive));
    awaitParked(acme);
    assertThat(read.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.DONE);
    assertThat(read.history().page(HistoryFilter.all()).attempts()).hasSize(1);
    long next = read.enqueue(TASK);
    assertThat(read.claim(1).tasks()).extracting(Task::id).containsExactly(next);
    assertThat(read.history().page(HistoryFilter.all()).attempts()).hasSize(2);
  }

  @Test
  void zeroKeepsAllTables() throws Exception {
    fixture.execute("update rota.tenant set park_at = now() - interval '1 day'");
    Faults faults = new Faults();
    ScriptedFault last = faults.before("look for any cancel request").watch();
    fixture.daemon(fixture.observed(faults), builder -> builder.parkAfter(Duration.ZERO));
    last.awaitReached();
    assertThat(faults.count("look for idle tenants")).isZero();
    assertThat(relations(idle)).isPositive();
  }

  /** A producer that has inserted holds a lock on its slot until its transaction ends. */
  @Test
  @Tag("exhaustive")
  void aProducerInATransactionIsNotDisturbed() throws Exception {
    Tenant elsewhere = fixture.another().tenants().get("idle");
    try (Connection connection = fixture.begin()) {
      elsewhere.enqueue(connection, TASK);
      Faults faults = new Faults();
      ScriptedFault tried = faults.before("lock tables of tenant").watch();
      daemon(faults, Duration.ofMillis(50));
      tried.awaitReached(2);
      connection.commit();
    }
    awaitParked(acme);
    assertThat(fixture.tenant(idle, "parked_at")).isEqualTo("null");
    assertThat(idle.claim(1).tasks()).hasSize(1);
  }

  /** The daemon is about to drop the tables, and the producer waits for its lock. */
  @Test
  @Tag("exhaustive")
  void aProducerThatWaitsForTheDropMakesNewTables() throws Exception {
    Faults faults = new Faults();
    ScriptedFault drop = faults.before("drop tables of tenant").hold();
    Tenant elsewhere = fixture.another().tenants().get("acme");
    assertThat(elsewhere.claim(1).tasks()).isEmpty();
    daemon(faults, Duration.ofMillis(50));
    drop.awaitReached();
    FutureTask<Long> enqueued = new FutureTask<>(() -> elsewhere.enqueue(TASK));
    new Thread(enqueued, "producer").start();
    fixture.awaitBlocked(1);
    drop.release();
    long id = enqueued.get();
    assertThat(acme.claim(10).tasks()).extracting(task -> task.id()).containsExactly(id);
  }

  /** What a caller adds after the announcement keeps the tables for its transaction. */
  @Test
  void anAnnouncedTenantIsKeptForACaller() throws Exception {
    daemon(new Faults(), Duration.ofMinutes(10));
    Await.until("it is announced", () -> !fixture.tenant(idle, "park_at").equals("null"));
    Tenant elsewhere = fixture.another().tenants().get("idle");
    try (Connection connection = fixture.begin()) {
      elsewhere.enqueue(connection, TASK);
      assertThat(fixture.tenant(idle, "park_at")).isEqualTo("null");
      connection.commit();
    }
    assertThat(idle.claim(1).tasks()).hasSize(1);
  }

  /** An index on park_at would make each of them write all indexes of the registry. */
  @Test
  void announcementsAndTheirWithdrawalsAreHot() {
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    Map<String, Name> places = Map.of("tenants", kernel.tables().tenants());
    BoundStatement<Integer> announce =
        BoundStatement.update(
            ANNOUNCE_PARKING.call(), ANNOUNCE_PARKING.on(places), 1_000.0, new int[] {1, 2});
    List<List<Long>> updates =
        kernel
            .database()
            .transaction(
                "announce and withdraw",
                session -> {
                  // The server counts what this connection did before, too.
                  List<Long> before = session.run(UPDATES).get(0);
                  assertThat(session.run(announce)).isEqualTo(2);
                  for (int tenant = 1; tenant <= 2; tenant++) {
                    BoundStatement<Integer> withdraw =
                        BoundStatement.update(
                            WITHDRAW_PARKING.call(), WITHDRAW_PARKING.on(places), tenant);
                    assertThat(session.run(withdraw)).isOne();
                  }
                  assertThat(session.run(announce)).isEqualTo(2);
                  TablesOnDemand.make(
                      session, kernel.tables(), kernel.registry().get(session, acme.number()));
                  return List.of(before, session.run(UPDATES).get(0));
                });
    assertThat(updates.get(1))
        .as("all updates, and those that were HOT")
        .containsExactly(updates.get(0).get(0) + 7, updates.get(0).get(1) + 7);
  }

  /** Makes the tables of keys and graphs too. */
  private static void workWithEveryTable(Tenant tenant) {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(TASK);
    tenant.graphs().enqueue(graph.build());
    tenant.enqueue(TASK.withKey("key"));
    try (Batch batch = tenant.claim(2)) {
      batch.settle();
    }
  }

  private static void work(Tenant tenant) {
    tenant.enqueue(TASK);
    try (Batch batch = tenant.claim(1)) {
      batch.settle();
    }
  }

  private RotationDaemon daemon() {
    return daemon(new Faults(), Duration.ofMillis(100));
  }

  private RotationDaemon daemon(Faults faults, Duration notice) {
    return fixture.daemon(fixture.observed(faults), builder -> parking(builder, notice));
  }

  /** Parks tenants that did nothing for a moment, and drops their history at once. */
  private static RotationDaemon.Builder parking(RotationDaemon.Builder builder, Duration notice) {
    return DaemonBuilder.shortParking(
        DaemonFixture.quickRing(
            builder
                .segmentBytes(0)
                .segmentAge(Duration.ofSeconds(1))
                .keepHistory(Duration.ZERO)
                .keepGraphs(Duration.ZERO)),
        Duration.ofMillis(200),
        notice);
  }

  private void awaitParked(Tenant tenant) throws SQLException {
    Await.until(
        tenant.name() + " is parked", () -> !fixture.tenant(tenant, "parked_at").equals("null"));
  }

  private long relations(Tenant tenant) throws SQLException {
    return fixture.number(
        "select count(*) from pg_class where relnamespace = 'rota_%d'::regnamespace"
            .formatted(tenant.number()));
  }
}
