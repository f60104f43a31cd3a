package dev.rota.benchmarks;

import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how long one poll of the tables of all tenants takes, when nothing has changed.
 *
 * <p>Data: tenants without tasks; the query with which workers find rings that changed, on a
 * connection that has run it before.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar DiscoveryBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DiscoveryBenchmark {

  private static final int SLOTS = 3;

  /** The number of tenants. */
  @Param({"1000", "10000"})
  int tenants;

  private RotaTrial trial;
  private Connection connection;
  private PreparedStatement changed;
  private long[] tables;
  private long[] seen;

  /**
   * Creates the tenants and polls for the first time.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open(tenants, StatementObserver.NONE);
    String[] names = namesOfSlots();
    connection = DriverManager.getConnection(trial.url());
    try (PreparedStatement lookUp =
        connection.prepareStatement(DiscoverySql.LOOK_UP_TABLES.text())) {
      lookUp.setObject(1, names);
      tables = column(lookUp, 1);
    }
    changed = connection.prepareStatement(DiscoverySql.discover(new RegistryTables("rota")));
    seen = new long[tables.length];
    RotaTrial.require("slots with tasks", 0, look());
  }

  private String[] namesOfSlots() {
    List<String> names = new ArrayList<>();
    trial
        .tenants()
        .forEach(
            tenant -> {
              for (int slot = 0; slot < SLOTS; slot++) {
                names.add("rota_%1$d.task_init_%1$d_%2$d".formatted(tenant.number(), slot));
              }
            });
    return names.toArray(String[]::new);
  }

  private static long[] column(PreparedStatement query, int column) throws SQLException {
    List<Long> values = new ArrayList<>();
    try (ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        values.add(rows.getLong(column));
      }
    }
    return values.stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Polls once.
   *
   * @return how many slots have changed
   * @throws SQLException if the query fails
   */
  @Benchmark
  public int look() throws SQLException {
    changed.setObject(1, tables);
    changed.setObject(2, seen);
    changed.setLong(3, 0);
    return column(changed, 1).length;
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    connection.close();
    trial.close();
  }
}
