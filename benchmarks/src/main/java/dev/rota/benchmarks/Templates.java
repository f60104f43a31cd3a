package dev.rota.benchmarks;

import dev.rota.Rota;
import dev.rota.benchmarks.rivals.RotaTenants;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Template databases with registered tenants and nothing else. A run creates one for each number of
 * tenants and copies it for each trial: registering thousands again takes far longer.
 */
final class Templates {

  private static final String PREFIX = "rota_benchmark_tenants_";

  private Templates() {}

  /**
   * Returns the name of the template with this number of tenants, which is created on first use.
   */
  static String of(String serverUrl, int tenants) throws SQLException {
    String name = PREFIX + tenants;
    if (!names(serverUrl).contains(name)) {
      TrialDatabase.execute(serverUrl, "create database " + name);
      try (Rota rota = Rota.connect(TrialDatabase.withDatabase(serverUrl, name))) {
        RotaTenants.register(rota, tenants);
      }
    }
    return name;
  }

  /** Drops all templates, including those of a killed run. */
  static void dropAll(String serverUrl) throws SQLException {
    for (String name : names(serverUrl)) {
      TrialDatabase.execute(serverUrl, "drop database " + name + " with (force)");
    }
  }

  private static List<String> names(String serverUrl) throws SQLException {
    List<String> names = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(serverUrl);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select datname from pg_database where starts_with(datname, '" + PREFIX + "')")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }
}
