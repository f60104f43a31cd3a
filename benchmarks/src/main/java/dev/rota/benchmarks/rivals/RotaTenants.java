package dev.rota.benchmarks.rivals;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Creates Rota's tables in a new database, which hand-written JDBC uses as well. */
public final class RotaTenants {

  private RotaTenants() {}

  /**
   * Creates the tables, unless they exist already.
   *
   * @param rota over a new database, or a copy of one
   * @param count the number of tenants
   * @return the tenants; the one at index i has number i + 1
   */
  public static List<Tenant> register(Rota rota, int count) {
    rota.admin().migrate();
    List<Tenant> tenants =
        rota
            .tenants()
            .registerAll(IntStream.range(0, count).mapToObj(i -> "tenant-" + i).toList())
            .stream()
            .sorted(Comparator.comparingInt(Tenant::number))
            .toList();
    for (int i = 0; i < count; i++) {
      if (tenants.get(i).number() != i + 1) {
        throw new IllegalStateException("the database is not new: tenants have other numbers");
      }
      makeTables(rota, tenants.get(i));
    }
    return tenants;
  }

  /** Makes the tables of a tenant, as its first task would. */
  public static void makeTables(Rota rota, Tenant tenant) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    kernel.tablesOnDemand().ensure(kernel.registry().get(tenant.number()));
  }

  /** Counts the rows. The counts of ring, history and ledger must agree. */
  static Contender.Census census(String url) throws SQLException {
    long moved = Jdbc.countRows(url, "^task_hist_\\d+_\\d+$");
    long inBatches = Jdbc.number(url, "select coalesce(sum(tasks), 0) from rota.task_batch");
    long settled =
        Jdbc.number(
            url, "select coalesce(sum(tasks), 0) from rota.task_batch where closed_at is not null");
    if (moved != inBatches) {
      throw new IllegalStateException(
          "history holds " + moved + " tasks, but the ledger's batches hold " + inBatches);
    }
    long pending = Jdbc.countRows(url, "^task_(init_\\d+_\\d|wait_\\d+)$");
    return new Contender.Census(pending, settled);
  }
}
