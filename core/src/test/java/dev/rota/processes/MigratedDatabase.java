package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.Map;
import org.flywaydb.core.Flyway;

/** A fresh database with the schema of Rota in it: a copy of one that this JVM migrates once. */
public final class MigratedDatabase {

  private static final String KEY = "migrated";

  private MigratedDatabase() {}

  /** On this JVM's server. */
  public static TestDatabase create() {
    return TestDatabase.copyOf(KEY, MigratedDatabase::migrate);
  }

  /** On a server of that major version. */
  public static TestDatabase onVersion(int major) {
    return TestDatabase.copyOnVersion(major, KEY, MigratedDatabase::migrate);
  }

  /** Gives an empty database the registry of an older version. */
  public static void toVersion(TestDatabase empty, String version) throws SQLException {
    empty.execute("create schema rota");
    Flyway.configure()
        .dataSource(empty.dataSource())
        .locations("classpath:dev/rota/db/migration")
        .defaultSchema("rota")
        .table(RegistryTables.MIGRATIONS)
        .placeholders(Map.of("schema", "rota"))
        .target(version)
        .load()
        .migrate();
  }

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
    }
  }
}
