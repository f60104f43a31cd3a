package dev.rota.daemon;

import dev.rota.Rota;
import dev.rota.admin.Roles;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A migrated database with the five roles and a login for each of them. Roles belong to the whole
 * server, so each test has its own names.
 */
final class RoleLogins implements AutoCloseable {

  private static final List<String> NAMES =
      List.of("operator", "reader", "application", "daemon", "owner");

  private final TestDatabase database;
  private final Roles roles;

  private RoleLogins(TestDatabase database) {
    this.database = database;
    this.roles = Roles.withPrefix("d_" + database.name());
  }

  /** On a server of that major version, migrated by its superuser. */
  static RoleLogins onVersion(int major) throws SQLException {
    RoleLogins logins = new RoleLogins(TestDatabase.onVersion(major));
    try (Rota rota = Rota.connect(logins.database.jdbcUrl())) {
      rota.admin().migrate(logins.roles);
    }
    for (String name : NAMES) {
      logins.database.execute(
          "create role %s login in role %s".formatted(logins.login(name), logins.role(name)));
    }
    return logins;
  }

  TestDatabase database() {
    return database;
  }

  Roles roles() {
    return roles;
  }

  /** A Rota with the rights of one of the five alone, with further settings. */
  Rota rota(String name, UnaryOperator<Rota.Builder> settings) {
    return settings.apply(Rota.builder(source(name))).build();
  }

  /** A connection with the rights of one of the five alone. */
  Connection connect(String name) throws SQLException {
    return source(name).getConnection();
  }

  private PGSimpleDataSource source(String name) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(login(name));
    return source;
  }

  Rota rota(String name) {
    return rota(name, builder -> builder);
  }

  private String login(String name) {
    return "login_" + name + "_" + database.name();
  }

  private String role(String name) {
    return roles.owner().replaceFirst("owner$", name);
  }

  @Override
  public void close() {
    try {
      for (String name : NAMES) {
        database.execute("drop role if exists " + login(name));
      }
      for (String name : NAMES) {
        database.execute("drop owned by %1$s cascade; drop role %1$s".formatted(role(name)));
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the roles of " + database.name() + " cannot be dropped", e);
    } finally {
      database.close();
    }
  }
}
