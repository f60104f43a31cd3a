package dev.rota.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestDatabaseTest {
  @ParameterizedTest
  @CsvSource({"fsync,on", "synchronous_commit,on", "full_page_writes,on"})
  void commitsAreDurable(String setting, String value) throws SQLException {
    try (TestDatabase database = TestDatabase.create()) {
      assertThat(show(database, setting)).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 18})
  @Tag("exhaustive")
  void startsEverySupportedVersion(int major) throws SQLException {
    try (TestDatabase database = TestDatabase.onVersion(major)) {
      assertThat(show(database, "server_version")).startsWith(major + ".");
      assertThat(show(database, "fsync")).isEqualTo("on");
      assertThat(show(database, "synchronous_commit")).isEqualTo("on");
      assertThat(show(database, "shared_buffers")).isEqualTo("256MB");
      assertThat(show(database, "max_connections")).isEqualTo("200");
      assertThat(show(database, "max_locks_per_transaction")).isEqualTo("256");
    }
  }

  @Test
  void databasesAreSeparate() throws SQLException {
    try (TestDatabase one = TestDatabase.create();
        TestDatabase other = TestDatabase.create()) {
      one.execute("create table here (n int)");
      assertThatThrownBy(() -> other.execute("select * from here")).hasMessageContaining("here");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  @Tag("exhaustive")
  void copiesShareWhatTheyBeginWithAndNothingElse(int major) throws SQLException {
    AtomicInteger fillings = new AtomicInteger();
    TestDatabase.Preparation preparation =
        jdbcUrl -> {
          fillings.incrementAndGet();
          fill(jdbcUrl);
        };
    try (TestDatabase one = TestDatabase.copyOnVersion(major, "test", preparation);
        TestDatabase other = TestDatabase.copyOnVersion(major, "test", preparation)) {
      one.execute("insert into here values (2)");
      assertThat(first(one, "select count(*) from here")).isEqualTo("2");
      assertThat(first(other, "select count(*) from here")).isEqualTo("1");
      assertThat(fillings).hasValue(1);
    }
  }

  private static void fill(String jdbcUrl) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement()) {
      statement.execute("create table here as select 1 as n");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @Tag("exhaustive")
  void closeCutsOpenConnections() throws SQLException {
    TestDatabase database = TestDatabase.create();
    try (Connection connection = DriverManager.getConnection(database.jdbcUrl())) {
      assertThat(connection.isValid(1)).isTrue();
      database.close();
      assertThat(connection.isValid(1)).isFalse();
    }
    assertThatThrownBy(database::connect).hasMessageContaining("does not exist");
  }

  private static String show(TestDatabase database, String setting) throws SQLException {
    return first(database, "show " + setting);
  }

  private static String first(TestDatabase database, String query) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
