package dev.rota.crash.points;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.server.FaultProxy;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The state that the runs of all scenarios on one server share: a database, and an undisturbed Rota
 * for setups and checks. Used by one thread.
 */
public final class PointsEnvironment implements AutoCloseable {

  private final TestDatabase database;
  private final Connection control;
  private final FaultProxy proxy;
  private final ArchiveFolder archive = new ArchiveFolder();
  private final Rota sound;
  private int stages;

  /** Creates the environment on a server of that major version. */
  public PointsEnvironment(int major) throws SQLException, IOException {
    this.database = TestDatabase.onVersion(major);
    int port = ((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0];
    this.proxy = FaultProxy.to(port);
    // No server crashes here, so that commits need not wait for the disk.
    database.execute("alter database " + database.name() + " set synchronous_commit = off");
    this.control = database.connect();
    this.sound =
        Rota.builder(database.jdbcUrl())
            .archive(archive.archive())
            .poolSize(3)
            .lowerLanesShare(0)
            .doorbell(false)
            .build();
    sound.admin().migrate();
  }

  TestDatabase database() {
    return database;
  }

  /** The proxy between the server and the disturbed Rota. */
  FaultProxy proxy() {
    return proxy;
  }

  public Rota sound() {
    return sound;
  }

  ArchiveFolder archive() {
    return archive;
  }

  public ManualDaemon daemon() {
    return ManualDaemon.leading(sound);
  }

  /** A daemon that archives. */
  ManualDaemon archivist() {
    return ManualDaemon.archiving(sound, archive.archive());
  }

  /** Returns a new name for a tenant. */
  public String newName() {
    return "stage-" + ++stages;
  }

  /** Registers a tenant and makes its tables, as its first task would. */
  public Tenant tenant() {
    Tenant tenant = sound.tenants().register(newName());
    Kernel kernel = DefaultRota.kernelOf(sound);
    kernel.tablesOnDemand().ensure(kernel.registry().get(tenant.number()));
    return tenant;
  }

  public void execute(String sql) throws SQLException {
    try (Statement statement = control.createStatement()) {
      statement.execute(sql);
    }
  }

  public List<@Nullable String> texts(String sql) throws SQLException {
    return TestDatabase.texts(control, sql);
  }

  public long number(String sql) throws SQLException {
    return Long.parseLong(texts(sql).get(0));
  }

  /** Removes all present and former data of a tenant. */
  void remove(int tenant) throws Exception {
    execute(
        """
        drop schema if exists rota_%1$d cascade;
        delete from rota.error_statistic where last_tenant = %1$d;
        delete from rota.tenant where number = %1$d;
        delete from rota.archive where tenant = %1$d;
        delete from rota.erasure where tenant = %1$d"""
            .formatted(tenant));
    archive.remove(tenant);
  }

  /** Removes a tenant by its name. */
  void removeIfThere(String name) throws Exception {
    for (String number : texts("select number from rota.tenant where name = '" + name + "'")) {
      remove(Integer.parseInt(number));
    }
  }

  /** Ends a server process, and waits until it is gone. */
  void kill(int process) throws SQLException {
    if (texts("select pg_terminate_backend(" + process + ")").get(0).equals("f")) {
      throw new IllegalStateException("no server process has the number " + process);
    }
    awaitGone(process);
  }

  /** Waits until a server process has ended: its open transactions are rolled back then. */
  void awaitGone(int process) throws SQLException {
    Await.until(
        "server process " + process + " ends",
        () -> number("select count(*) from pg_stat_activity where pid = " + process),
        0);
  }

  @Override
  public void close() throws SQLException, IOException {
    try (archive;
        database;
        proxy;
        sound) {
      control.close();
    }
  }
}
