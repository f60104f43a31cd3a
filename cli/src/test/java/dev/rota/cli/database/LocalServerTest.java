package dev.rota.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.RotaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class LocalServerTest {

  @TempDir Path directory;

  @Test
  @Tag("exhaustive")
  void keepsItsDataAndCommitsDurably() throws SQLException {
    try (LocalServer server = LocalServer.start(directory)) {
      for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
        assertThat(query(server, "show " + setting)).isEqualTo("on");
      }
      assertThat(query(server, "show listen_addresses")).isEqualTo("localhost");
      assertThat(query(server, "show max_connections")).isEqualTo("200");
      assertThat(query(server, "show server_version")).startsWith("18.");
      execute(server, "create table kept as select 42 as answer");
    }
    try (LocalServer again = LocalServer.start(directory)) {
      assertThat(query(again, "select answer from kept")).isEqualTo("42");
    }
  }

  @Test
  @Tag("exhaustive")
  void secondUserOfTheDirectoryJoinsTheRunningServer() throws SQLException {
    try (LocalServer owner = LocalServer.start(directory)) {
      try (LocalServer guest = LocalServer.start(directory)) {
        assertThat(guest.jdbcUrl()).isEqualTo(owner.jdbcUrl());
      }
      assertThat(query(owner, "select 1")).isEqualTo("1");
    }
  }

  @Test
  @Tag("exhaustive")
  void temporaryDataAreDeleted() throws SQLException {
    Path temporary;
    try (LocalServer server = LocalServer.temporary(directory)) {
      temporary = server.directory();
      assertThat(temporary).hasParent(directory);
      assertThat(query(server, "show fsync")).isEqualTo("on");
      assertThat(temporary).exists();
      server.close();
    }
    assertThat(temporary).doesNotExist();
  }

  @Test
  void refusesADirectoryOfOtherFiles() throws IOException {
    Files.writeString(directory.resolve("thesis.txt"), "precious");
    assertThatThrownBy(() -> LocalServer.start(directory))
        .isInstanceOf(RotaException.class)
        .hasMessageContaining("holds other files");
    assertThat(directory.resolve("thesis.txt")).hasContent("precious");
  }

  @Test
  void refusesDataOfAnotherVersion() throws IOException {
    Files.writeString(directory.resolve("PG_VERSION"), "15\n");
    assertThatThrownBy(() -> LocalServer.start(directory))
        .isInstanceOf(RotaException.class)
        .hasMessageContaining("PostgreSQL 15");
  }

  public static void execute(LocalServer server, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(LocalServer server, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
