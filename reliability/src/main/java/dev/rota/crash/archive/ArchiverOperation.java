package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.FatalTaskException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.KillDrill;
import dev.rota.daemon.RotationDaemon;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Archives the history of two tenants whose tasks run meanwhile: the first keeps its archived
 * history, the second has it deleted at once. Used by one thread.
 */
final class ArchiverOperation implements KillDrill.Operation, AutoCloseable {

  private static final int TASKS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabase.create();
  private final Place kept;
  private final Path staging;
  private final Rota rota;
  private final RotationDaemon sealing;
  private final Connection duck = DriverManager.getConnection("jdbc:duckdb:");
  private final Tenant keeping;
  private final Tenant deleting;
  private final List<Long> ofKeeping = new ArrayList<>();
  private final List<Long> ofDeleting = new ArrayList<>();

  /** Creates an operation that archives to the given place, with temporary files in that folder. */
  ArchiverOperation(Place kept, Path staging) throws Exception {
    this.kept = kept;
    this.staging = staging;
    rota = Rota.connect(database.jdbcUrl());
    rota.admin().migrate();
    keeping = rota.tenants().register("keeping");
    deleting = rota.tenants().register("deleting");
    keeping.history().changeRetention(policy -> policy.archive(true));
    deleting.history().changeRetention(policy -> policy.archive(true).keepArchive(Duration.ZERO));
    // This daemon has no archive: it seals, and drops no segment of tenants that archive.
    sealing =
        RotationDaemon.builder(rota)
            .rotateEvery(Duration.ofSeconds(1))
            .segmentBytes(0)
            .keepHistory(Duration.ZERO)
            .tick(Duration.ofMillis(10))
            .start();
  }

  @Override
  public JavaProcess start(String step) throws Exception {
    run(keeping, ofKeeping);
    run(deleting, ofDeleting);
    return JavaProcess.start(
        ArchiverProcess.class, database.jdbcUrl(), kept.address(), staging.toString(), step);
  }

  @Override
  public void bringToEnd(JavaProcess archiver) throws Exception {
    await("all of one is archived and dropped", "select count(*) from rota_1.task_hist_1");
    await("all of the other one as well", "select count(*) from rota_2.task_hist_2");
    await("what is not kept is deleted", "select count(*) from rota.archive where tenant = 2");
    archiver.tell("end");
  }

  /** Checks that the database and the archive together hold each task once. */
  @Override
  public void afterKill(String when) throws Exception {
    assertThat(found(keeping)).as(when + ": tasks of the one that keeps").isEqualTo(ofKeeping);
    assertThat(found(deleting))
        .as(when + ": tasks of the one that deletes")
        .doesNotHaveDuplicates()
        .isSubsetOf(ofDeleting);
  }

  /** Checks also that nothing is left over. */
  @Override
  public void afterEnd(String result) throws Exception {
    afterKill("finished");
    try (ObjectStore store = kept.store();
        Stream<Path> left = Files.list(staging)) {
      assertThat(store.list("").stream().map(ObjectStore.StoredObject::key))
          .as("objects")
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(
                      Stream.of("_rota_owner"),
                      database
                          .texts("select key from rota.archive where archived_at is not null")
                          .stream())
                  .toList());
      assertThat(store.discardHalfUploads(Duration.ZERO)).as("half uploads").isZero();
      assertThat(left.toList()).as("temporary files").isEmpty();
    }
  }

  private static void run(Tenant tenant, List<Long> all) {
    List<NewTask> tasks =
        IntStream.range(0, TASKS)
            .mapToObj(i -> NewTask.of(i == 0 ? "dies" : "runs", "{}"))
            .toList();
    all.addAll(tenant.enqueueAll(tasks));
    for (int ended = 0; ended < TASKS; ) {
      try (Batch batch = tenant.claim(TASKS)) {
        for (Task task : batch) {
          ended++;
          if (task.kind().equals("dies")) {
            batch.fail(task, new FatalTaskException("as it should"));
          }
        }
        batch.settle();
      }
    }
  }

  private List<Long> found(Tenant tenant) throws Exception {
    int number = tenant.number();
    List<Long> found = new ArrayList<>();
    database
        .texts("select id from rota_%1$d.task_hist_%1$d".formatted(number))
        .forEach(id -> found.add(Long.valueOf(id)));
    String archived =
        "select a.key from rota.archive a join rota.segment s using (tenant, seq) where a.tenant = "
            + number
            + " and a.archived_at is not null and a.expired_at is null and s.dropped_at is not null";
    found.addAll(idsIn(database.texts(archived)));
    found.sort(null);
    return found;
  }

  private List<Long> idsIn(List<String> keys) throws SQLException {
    List<Long> ids = new ArrayList<>();
    if (keys.isEmpty()) {
      return ids;
    }
    String files =
        keys.stream()
            .map(key -> "'" + kept.file().apply(key) + "'")
            .collect(Collectors.joining(", "));
    try (Statement statement = duck.createStatement();
        ResultSet rows = statement.executeQuery("select id from read_parquet([" + files + "])")) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  /** Waits as long as the count decreases: there may be some hundred segments. */
  private void await(String what, String count) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    List<String> before = List.of();
    List<String> left = database.texts(count);
    while (!left.equals(List.of("0"))) {
      if (!left.equals(before)) {
        deadline = System.nanoTime() + PATIENCE.toNanos();
      }
      before = left;
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "still not: " + what + "; " + database.texts("select a::text from rota.archive a"));
      }
      LockSupport.parkNanos(10_000_000);
      left = database.texts(count);
    }
  }

  @Override
  public void close() throws SQLException {
    sealing.close();
    duck.close();
    rota.close();
    database.close();
  }
}
