package dev.rota;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.admin.Roles;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A fresh database with the five roles and a login for each of them. Roles belong to the whole
 * server, so each test has its own names.
 */
public final class RolesFixture implements AutoCloseable {

  private final TestDatabase database;
  private final Roles roles;
  private final List<String> made = new ArrayList<>();

  private RolesFixture(TestDatabase database) {
    this.database = database;
    this.roles = Roles.withPrefix("rota_" + database.name());
    made.addAll(
        List.of(
            roles.operator(), roles.reader(), roles.application(), roles.daemon(), roles.owner()));
  }

  /** On a server of that major version; nothing is migrated yet. */
  public static RolesFixture onVersion(int major) {
    return new RolesFixture(TestDatabase.onVersion(major));
  }

  public TestDatabase database() {
    return database;
  }

  public Roles roles() {
    return roles;
  }

  /** Migrates as the superuser of the server, and makes the roles and those that log in. */
  public RolesFixture migrated() throws SQLException {
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate(roles);
    }
    for (String role : List.of("owner", "daemon", "application", "reader", "operator")) {
      login(role, "in role " + roles.owner().replaceFirst("owner$", role));
    }
    return this;
  }

  /** Makes a role that logs in, under the name of {@link #login(String)}. */
  public void login(String name, String options) throws SQLException {
    database.execute("create role " + login(name) + " login " + options);
    made.add(0, login(name));
  }

  /** The role that logs in for one of the five. */
  public String login(String name) {
    return name + "_" + database.name();
  }

  /** Connections as one of those roles. */
  public PGSimpleDataSource source(String name) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(login(name));
    return source;
  }

  /** A Rota whose connections are those of one of those roles. */
  public Rota rota(String name) {
    return Rota.builder(source(name)).build();
  }

  /** Runs statements as one of those roles. */
  public void execute(String name, String sql) throws SQLException {
    try (Connection connection = source(name).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of what a query returns to the superuser. */
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  /** Fails unless the server refuses the statement because a right is missing. */
  public void assertDenied(String name, String sql) {
    assertThatThrownBy(() -> execute(name, sql), name + " must not: " + sql)
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("42501");
  }

  @Override
  public void close() {
    try {
      database.execute("alter database " + database.name() + " owner to " + database.user());
      for (String role : made) {
        if (!texts("select 1 from pg_roles where rolname = '" + role + "'").isEmpty()) {
          database.execute("drop owned by " + role + " cascade; drop role " + role);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the roles of " + database + " cannot be dropped", e);
    } finally {
      database.close();
    }
  }
}
