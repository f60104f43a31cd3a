package dev.rota.internal.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All files of statements in {@code dev/rota/db/statements} of the module sql, each read once.
 *
 * <p>The name of a statement is unique among all files, so that a search for it finds one place.
 */
final class SqlFiles {

  /** The files, without their ending. A test compares them with the folder. */
  static final List<String> NAMES =
      List.of(
          "hot-path",
          "recovery",
          "rotation",
          "rules",
          "caps",
          "rates",
          "quotas",
          "breakers",
          "shards",
          "parking",
          "leader",
          "segments",
          "ledger",
          "control",
          "set-aside",
          "keys",
          "graphs",
          "schedules",
          "assignments",
          "statistics",
          "metering",
          "archive",
          "transfer",
          "restore",
          "erasure",
          "roles",
          "preflight",
          "status",
          "insight",
          "audit",
          "recent",
          "why",
          "top",
          "tenants",
          "tables",
          "sessions",
          "virtual-time",
          "migration");

  private static final String FOLDER = "/dev/rota/db/statements/";
  private static final Map<String, SqlFile.Statement> STATEMENTS = readAll();

  private SqlFiles() {}

  /** Returns the statement of a name. */
  static SqlFile.Statement statement(String name) {
    SqlFile.Statement statement = STATEMENTS.get(name);
    if (statement == null) {
      throw new IllegalArgumentException(
          "no file in " + FOLDER + " has a statement '" + name + "'; the files are " + NAMES);
    }
    return statement;
  }

  /** All statements, in their order. */
  static Collection<SqlFile.Statement> all() {
    return Collections.unmodifiableCollection(STATEMENTS.values());
  }

  private static Map<String, SqlFile.Statement> readAll() {
    Map<String, SqlFile.Statement> all = new LinkedHashMap<>();
    for (String name : NAMES) {
      String file = name + ".sql";
      for (SqlFile.Statement statement : SqlFile.parse(file, lines(file)).statements()) {
        SqlFile.Statement other = all.putIfAbsent(statement.name(), statement);
        if (other != null) {
          throw new IllegalStateException(
              "statement '%s' is in %s and in %s".formatted(statement.name(), other.file(), file));
        }
      }
    }
    return all;
  }

  private static List<String> lines(String file) {
    try (InputStream stream = SqlFiles.class.getResourceAsStream(FOLDER + file)) {
      if (stream == null) {
        throw new IllegalStateException(FOLDER + file + " is not on the class path; add rota-sql");
      }
      return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
          .lines()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + FOLDER + file, e);
    }
  }
}
