package dev.rota.transfer;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.daemon.ArchivingDaemon;
import dev.rota.daemon.RotationDaemon;
import dev.rota.graph.TaskGraph;
import dev.rota.processes.MigratedDatabase;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A database with Rota in it, an archive, and tenants with data of every kind. */
public final class TransferFixture extends RotaFixture {

  private final Path folder;
  private final Archive archive;

  /** Creates one over a new database on the server of this JVM. */
  public TransferFixture(Path folder) throws IOException {
    this(MigratedDatabase.create(), folder);
  }

  /** Creates one over a migrated database, with an archive in a folder. */
  TransferFixture(TestDatabase database, Path folder) throws IOException {
    super(database, builder -> builder.poolSize(4).registryRefresh(Duration.ofMillis(100)));
    this.folder = Files.createDirectories(folder);
    Files.createDirectories(folder.resolve("kept"));
    Files.createDirectories(folder.resolve("staging"));
    this.archive = archive(ObjectStore.folder(kept()));
  }

  public Archive archive() {
    return archive;
  }

  public Path kept() {
    return folder.resolve("kept");
  }

  public Path staging() {
    return folder.resolve("staging");
  }

  public Archive archive(ObjectStore store) {
    return closeLater(
        Archive.in(store).grace(Duration.ZERO).share(1).stagingFolder(staging()).build());
  }

  /** One more Rota, which has the archive, and at whose calls the faults happen. */
  public Rota archiving(Faults faults) {
    return observed(faults, builder -> builder.archive(archive));
  }

  /** One more Rota, which has the archive, and no faults. */
  public Rota archiving() {
    return another(builder -> builder.archive(archive));
  }

  /** A tenant with archived history, and a segment that is in the database and in the archive. */
  public Tenant withArchive(String name) throws Exception {
    Tenant tenant = rota().tenants().register(name);
    run(tenant, "early", 40);
    tenant.history().changeRetention(policy -> policy.keepArchive(Duration.ofDays(3_650)));
    try (RotationDaemon daemon = daemon(Duration.ZERO)) {
      Await.until(
          "a segment is archived and dropped",
          () -> !texts("select 1 from rota.segment where dropped_at is not null").isEmpty());
    }
    run(tenant, "later", 20);
    try (RotationDaemon daemon = daemon(Duration.ofDays(30))) {
      Await.until(
          "another one is archived",
          () ->
              !texts(
                      "select 1 from rota.segment s join rota.archive a using (tenant, seq)"
                          + " where s.dropped_at is null and a.archived_at is not null")
                  .isEmpty());
    }
    return tenant;
  }

  /** Tenants of which each has two archived segments, neither of them in the database. */
  public void withArchives(String... names) throws Exception {
    List<Tenant> tenants = rota().tenants().registerAll(List.of(names));
    for (int round = 1; round <= 2; round++) {
      int files = round * names.length;
      tenants.forEach(tenant -> run(tenant, "archived", 10));
      try (RotationDaemon daemon = daemon(Duration.ZERO)) {
        Await.until(
            files + " segments are archived and dropped",
            () ->
                texts(
                        "select 1 from rota.segment s join rota.archive a using (tenant, seq)"
                            + " where s.dropped_at is not null")
                    .size(),
            files);
      }
    }
  }

  /** All that bringing history back can change in a database. */
  public List<String> registry() throws SQLException {
    return texts(
        """
        select t::text from rota.tenant t union all
        select s::text from rota.segment s union all
        select a::text from rota.archive a union all
        select 'last task id ' || coalesce(pg_sequence_last_value('rota.task_id'), 0) union all
        select 'last tenant number '
               || coalesce(pg_sequence_last_value(
                             pg_get_serial_sequence('rota.tenant', 'number')::regclass), 0) union all
        select 'table ' || c.oid::regclass from pg_class c
         where c.relnamespace::regnamespace::text ~ '^rota' order by 1""");
  }

  private RotationDaemon daemon(Duration keepHistory) {
    return ArchivingDaemon.start(rota(), archive, keepHistory);
  }

  /** Gives a tenant all that one can have, a batch that runs among it. */
  public Batch enrich(Tenant tenant) throws Exception {
    run(tenant, "mixed", 25);
    Batch running = claimOf(tenant, 7);
    tenant.enqueueAll(
        IntStream.range(0, 300)
            .mapToObj(i -> NewTask.of("plain", "{\"number\": " + i + "}"))
            .toList());
    tenant.enqueue(NewTask.of("strange", "line\nbreak \"quoted\" 'so' \\ 🙂").withParent(5));
    tenant.enqueue(NewTask.of("large", "x".repeat(60_000)));
    tenant.enqueue(NewTask.of("urgent", "{}").priority(9));
    tenant.enqueue(NewTask.of("idle", "{}").priority(-9));
    tenant.enqueue(NewTask.of("delayed", "{}").after(Duration.ofHours(3)));
    tenant.enqueue(
        NewTask.of("delayed", "{}")
            .priority(9)
            .runAt(Instant.parse("2100-01-01T00:00:00.123456Z")));
    tenant.enqueue(NewTask.of("keyed", "{}").withKey("plain key"));
    tenant.enqueue(NewTask.of("keyed", "{}").withKey(TaskKey.keptFor("kept", Duration.ofDays(9))));
    tenant.enqueue(NewTask.of("versioned", "old").withKey(TaskKey.versioned("document", 7)));
    tenant.enqueue(NewTask.of("versioned", "new").withKey(TaskKey.versioned("document", 8)));
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(NewTask.of("first", "{}"));
    graph.add(NewTask.of("second", "{}").priority(9)).dependsOn(first);
    graph.add(NewTask.of("third", "{}").after(Duration.ofMinutes(5))).dependsOn(first);
    long unused = tenant.graphs().enqueue(graph.build()).id();
    tenant.schedules().add(Schedule.cron("nightly", "0 3 * * *", NewTask.of("report", "{}")));
    tenant
        .schedules()
        .add(
            Schedule.every(
                "often", Duration.ofMillis(90_500), NewTask.of("poll", "{}").priority(9)));
    tenant.assignments().workers("drivers").add(LongStream.range(0, 50).boxed().toList());
    tenant.assignments().workers("drivers").assign(700);
    tenant.assignments().tasks("rides").add(List.of(1L, 2L, 3L));
    execute(
        "insert into rota.statistic values (%d, '2030-01-01 05:00Z', 1, 2, 3, 4, 5, 6, 7, 'mixed', "
                .formatted(tenant.number())
            + "'{1,2}', '{0,3}')");
    tenant
        .history()
        .changeRetention(policy -> policy.segmentAge(Duration.ofHours(5)).segmentBytes(1 << 20));
    return running;
  }

  private static Batch claimOf(Tenant tenant, int count) {
    tenant.enqueueAll(
        IntStream.range(0, count)
            .mapToObj(i -> NewTask.of("running", "{}").withParent(i))
            .toList());
    return tenant.claim(count);
  }

  /** Runs tasks to all ends. */
  public static void run(Tenant tenant, String kind, int count) {
    tenant.enqueueAll(
        IntStream.range(0, count).mapToObj(i -> NewTask.of(kind, "{\"i\":" + i + "}")).toList());
    for (int ended = 0; ended < count; ) {
      try (Batch batch = tenant.claim(10)) {
        for (Task task : batch) {
          ended++;
          if (task.id() % 11 == 0) {
            batch.dead(task, "no luck");
          } else if (task.id() % 7 == 0) {
            batch.fail(task, "later", Duration.ofHours(1));
          }
        }
        batch.settle();
      }
    }
  }

  @Override
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set timezone = 'UTC'");
      ResultSet rows = statement.executeQuery(sql);
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(String.valueOf(rows.getString(1)));
      }
      return texts;
    }
  }

  /** All that a tenant has, in words that are the same in each database. */
  public Map<String, List<String>> state(int tenant) throws SQLException {
    Map<String, List<String>> state = new TreeMap<>();
    String own = "rota_%1$d.task_%%s_%1$d".formatted(tenant);
    state.put("pending", texts("select t::text from " + own.formatted("init") + " t order by 1"));
    state.put(
        "history",
        texts(
            "select concat_ws('|', id, attempt, state, kind, md5(payload), parent_id, created_at,"
                + " claimed_at, finished_at, error, worker, key, priority) from "
                + own.formatted("hist")
                + " order by 1"));
    for (String table : List.of("key", "graph", "node", "edge", "held", "spread")) {
      String name = own.formatted(table);
      boolean there = texts("select to_regclass('" + name + "')").equals(List.of("null"));
      state.put(table, there ? List.of() : texts("select t::text from " + name + " t order by 1"));
    }
    state.put(
        "registry",
        texts(
            "select concat_ws('|', closed, created_at, keep_history, archive,"
                + " extract(epoch from keep_archive), legal_hold, segment_age, segment_bytes,"
                + " priorities) from rota.tenant"
                + " where number = "
                + tenant));
    state.put(
        "schedules",
        texts(
            "select (to_jsonb(s) - 'id' - 'tenant')::text from rota.schedule s where tenant = "
                + tenant
                + " order by 1"));
    state.put(
        "statistics",
        texts(
            "select (to_jsonb(s) - 'tenant')::text from rota.statistic s where tenant = "
                + tenant
                + " order by 1"));
    state.put(
        "pools",
        texts(
            "select concat_ws('|', kind, name, created_at) from rota.assignment_pool where tenant = "
                + tenant
                + " order by 1"));
    state.put(
        "archive",
        texts(
            "select (to_jsonb(a) - 'tenant' - 'key' - 'begun_at' - 'archived_at')::text"
                + " || regexp_replace(a.key, '^tenant=[0-9]+', '')"
                + " from rota.archive a join rota.segment s using (tenant, seq)"
                + " where s.dropped_at is not null and a.archived_at is not null and a.tenant = "
                + tenant
                + " order by 1"));
    return state;
  }
}
