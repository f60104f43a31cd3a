package dev.rota.internal.schema;

import java.util.Locale;

/**
 * A column in which history is stored: in a segment, in a file of the archive, or in a view.
 *
 * @param name its name
 * @param type its type
 */
public record HistoryColumn(String name, Type type) {

  /** A type, under one name in PostgreSQL and in DuckDB, which writes the Parquet files. */
  public enum Type {
    BIGINT,
    INTEGER,
    SMALLINT,
    TEXT,
    /** To the microsecond. */
    TIMESTAMPTZ
  }

  static HistoryColumn bigint(String name) {
    return new HistoryColumn(name, Type.BIGINT);
  }

  static HistoryColumn integer(String name) {
    return new HistoryColumn(name, Type.INTEGER);
  }

  static HistoryColumn smallint(String name) {
    return new HistoryColumn(name, Type.SMALLINT);
  }

  static HistoryColumn text(String name) {
    return new HistoryColumn(name, Type.TEXT);
  }

  static HistoryColumn time(String name) {
    return new HistoryColumn(name, Type.TIMESTAMPTZ);
  }

  /** In CREATE TABLE. */
  public String definition() {
    return name + " " + type.name().toLowerCase(Locale.ROOT);
  }

  public boolean isText() {
    return type == Type.TEXT;
  }

  public boolean isTime() {
    return type == Type.TIMESTAMPTZ;
  }
}
