package dev.rota.junit;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** The database of a test class and what is open in it. Used by one thread. */
final class TestFixture implements AutoCloseable {

  private static final int CONNECTIONS = 6;

  private final TestDatabase database;
  private final DefaultTestRota rota;
  private final ReadyTenants ready;
  private final Map<String, Tenant> tenants = new HashMap<>();

  private TestFixture(TestDatabase database, Rota rota) {
    this.database = database;
    this.rota = new DefaultTestRota(rota, true);
    this.ready = new ReadyTenants(rota);
  }

  /** Copies a database that this JVM has migrated once, and opens a Rota over it. */
  static TestFixture open(UnaryOperator<Rota.Builder> settings) {
    TestDatabase database = TestDatabase.copyOf("rota-junit", TestFixture::migrate);
    Rota.Builder builder = Rota.builder(database.jdbcUrl()).poolSize(CONNECTIONS);
    return new TestFixture(database, settings.apply(builder).build());
  }

  /** Makes the database of which all others are copies. */
  static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
    }
  }

  /** Begins a test. */
  void begin() {
    tenants.clear();
    rota.begin();
    ready.begin();
  }

  TestRota rota() {
    return rota;
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  /** The tenant of the present test with this name; the same for its set-up and the test. */
  Tenant tenant(String name) {
    return tenants.computeIfAbsent(name, ready::take);
  }

  @Override
  public void close() {
    ready.close();
    rota.resign();
    rota.rota().close();
    database.close();
  }
}
