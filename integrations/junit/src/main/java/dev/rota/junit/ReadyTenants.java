package dev.rota.junit;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.NamedThreads;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TablesOnDemand;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tables of tenants in the background, while an earlier test runs: that takes longer than
 * a test. Used by one thread.
 *
 * <p>Tables that are ready have no row in the registry, so that no code under test sees a tenant
 * that is not its own, or leaves something in it. The row comes when a test takes the tenant.
 */
final class ReadyTenants implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReadyTenants.class);

  private static final Sql BEGIN = Sql.named("begin_ready_tenant");
  private static final Sql HIDE = Sql.named("hide_ready_tenant");
  private static final Sql GIVE = Sql.named("give_ready_tenant");

  private static final long LONGEST_END_SECONDS = 30;

  private final Rota rota;
  private final Database database;
  private final RegistryTables tables;
  private final ExecutorService background =
      Executors.newSingleThreadExecutor(new NamedThreads("rota-test-tenants"));
  private final Deque<Future<Integer>> ready = new ArrayDeque<>();
  private int taken;
  private int most = 1;

  ReadyTenants(Rota rota) {
    this.rota = rota;
    Kernel kernel = DefaultRota.kernelOf(rota);
    this.database = kernel.database();
    this.tables = kernel.tables();
    refill();
  }

  /** Begins a test: it may take as many tenants as any before. */
  void begin() {
    most = Math.max(most, taken);
    taken = 0;
    refill();
  }

  /** Returns the tenant with this name, with tables that are ready if it is new. */
  Tenant take(String name) {
    taken++;
    Future<Integer> next = ready.poll();
    if (next != null) {
      give(name, next);
    }
    refill();
    return rota.tenants().register(name);
  }

  private void refill() {
    while (ready.size() < most) {
      ready.add(background.submit(this::prepare));
    }
  }

  private int prepare() {
    return database.transaction("make the tables of a later test", this::makeTables);
  }

  private int makeTables(Session session) throws SQLException {
    Map<String, Name> registry = Map.of("tenants", tables.tenants());
    int tenant =
        session
            .run(BoundStatement.query(BEGIN.call(), BEGIN.on(registry), row -> row.getInt(1)))
            .get(0);
    TablesOnDemand.make(session, tables, tenant);
    session.appendToCommit(BoundStatement.update(HIDE.call(), HIDE.on(registry), tenant));
    return tenant;
  }

  /** Gives a name to a tenant; without it, the tenant is registered as any other one. */
  private void give(String name, Future<Integer> next) {
    try {
      give(name, next.get());
    } catch (ExecutionException | CancellationException | RotaException e) {
      log.debug("the tables of tenant '{}' were not ready", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void give(String name, int tenant) {
    String sql = GIVE.on("tenants", tables.tenants(), "segments", tables.segments());
    boolean given =
        database
            .transaction(
                "give a test its tenant",
                Database.alone(
                    BoundStatement.query(GIVE.call(), sql, row -> row.getInt(1) > 0, tenant, name)))
            .get()
            .get(0);
    if (!given) {
      log.debug("tenant '{}' was there, or had another name", name);
    }
  }

  /** Ends the preparations, before the connections are closed. */
  @Override
  public void close() {
    ready.forEach(each -> each.cancel(false));
    background.shutdown();
    try {
      boolean unused = background.awaitTermination(LONGEST_END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
