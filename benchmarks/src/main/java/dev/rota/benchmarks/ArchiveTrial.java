package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.benchmarks.rivals.Deadline;
import dev.rota.daemon.RotationDaemon;
import dev.rota.internal.db.Session.StatementObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rota in a new database, with tenants and folders for an archive. */
final class ArchiveTrial implements AutoCloseable {

  private static final int BATCH = 1_000;

  private final RotaTrial rota;
  private final Path folder;
  private final Random random = new Random(1);

  private ArchiveTrial(RotaTrial rota, Path folder) {
    this.rota = rota;
    this.folder = folder;
  }

  static ArchiveTrial open(int tenants) throws Exception {
    Path folder = Files.createTempDirectory("rota-benchmark-archive-");
    Files.createDirectory(folder.resolve("kept"));
    return new ArchiveTrial(RotaTrial.open(tenants, StatementObserver.NONE), folder);
  }

  RotaTrial rota() {
    return rota;
  }

  /** The folder of the objects. */
  Path kept() {
    return folder.resolve("kept");
  }

  /** An archive in a folder, on the same disk as the rest. */
  Archive.Builder archive() {
    return Archive.in(ObjectStore.folder(kept())).stagingFolder(folder).grace(Duration.ZERO);
  }

  /**
   * Lets a tenant run tasks, each with a different payload of the given number of random
   * hexadecimal digits.
   */
  void run(Tenant tenant, int tasks, int digits) {
    for (int done = 0; done < tasks; ) {
      int count = Math.min(BATCH, tasks - done);
      tenant.enqueueAll(tasks(count, digits));
      try (Batch batch = tenant.claim(count)) {
        batch.settle();
        done += batch.tasks().size();
      }
    }
  }

  private List<NewTask> tasks(int count, int digits) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> {
              byte[] noise = new byte[digits / 2];
              random.nextBytes(noise);
              return NewTask.of(RotaTrial.KIND, HexFormat.of().formatHex(noise));
            })
        .toList();
  }

  /** Seals all tasks that ran, to be archived; nothing is dropped. */
  void seal() {
    rota.tenants().forEach(each -> each.history().changeRetention(policy -> policy.archive(true)));
    try (RotationDaemon sealing = daemon().start()) {
      Deadline.await(
          "the sealing of all segments",
          () ->
              number(
                      "select count(*) from rota.segment s left join rota.archive a"
                          + " using (tenant, seq) where s.sealed_at is not null"
                          + " and a.archived_at is null")
                  == rota.tenants().size());
    }
  }

  /** A daemon that seals all segments every second. */
  RotationDaemon.Builder daemon() {
    return RotationDaemon.builder(rota.rota())
        .rotateEvery(Duration.ofSeconds(1))
        .segmentBytes(0)
        .tick(Duration.ofMillis(10));
  }

  /** Returns the one number of a query's result. */
  long number(String sql) {
    try (Connection connection = DriverManager.getConnection(rota.url());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      rota.close();
    } finally {
      delete();
    }
  }

  private void delete() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              each -> {
                try {
                  Files.delete(each);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
