package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.testing.TestDatabase;

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

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
    }
  }
}
