package dev.rota.transfer.internal;

import dev.rota.internal.schema.HistoryColumn;

/**
 * One column of transferred rows. Between the databases and DuckDB every value is a number or a
 * text; in files it has its type.
 *
 * @param name its name in the table
 * @param kind the form in which it is transferred
 * @param type its type in PostgreSQL
 */
record Column(String name, Kind kind, String type) {

  /** The form in which a value is transferred. */
  enum Kind {
    NUMBER("bigint"),
    TEXT("varchar"),
    /** A time in microseconds since 1970. */
    TIME("bigint"),
    /** A duration in microseconds, in files too: an interval of Parquet has milliseconds. */
    SPAN("bigint"),
    FLAG("bigint");

    private final String staged;

    Kind(String staged) {
      this.staged = staged;
    }
  }

  static Column bigint(String name) {
    return new Column(name, Kind.NUMBER, "bigint");
  }

  static Column integer(String name) {
    return new Column(name, Kind.NUMBER, "integer");
  }

  static Column smallint(String name) {
    return new Column(name, Kind.NUMBER, "smallint");
  }

  static Column text(String name) {
    return new Column(name, Kind.TEXT, "text");
  }

  static Column numeric(String name) {
    return new Column(name, Kind.TEXT, "numeric");
  }

  static Column bigints(String name) {
    return new Column(name, Kind.TEXT, "bigint[]");
  }

  static Column time(String name) {
    return new Column(name, Kind.TIME, "timestamptz");
  }

  static Column span(String name) {
    return new Column(name, Kind.SPAN, "interval");
  }

  static Column flag(String name) {
    return new Column(name, Kind.FLAG, "boolean");
  }

  static Column of(HistoryColumn column) {
    return switch (column.type()) {
      case BIGINT -> bigint(column.name());
      case INTEGER -> integer(column.name());
      case SMALLINT -> smallint(column.name());
      case TEXT -> text(column.name());
      case TIMESTAMPTZ -> time(column.name());
    };
  }

  private String quoted() {
    return '"' + name + '"';
  }

  boolean isText() {
    return kind == Kind.TEXT;
  }

  /** The expression that reads it from PostgreSQL, in a query on {@code h}. */
  String read() {
    return switch (kind) {
      case NUMBER -> "h." + name + "::bigint";
      case TEXT -> "h." + name + "::text";
      case TIME, SPAN -> "(extract(epoch from h." + name + ") * 1000000)::bigint";
      case FLAG -> "h." + name + "::integer::bigint";
    };
  }

  /** The column in a table of DuckDB. */
  String staged() {
    return quoted() + " " + kind.staged;
  }

  /** The expression that reads it from a table of DuckDB for a file. */
  String filed() {
    String value =
        switch (kind) {
          case NUMBER, TEXT, SPAN -> quoted();
          case TIME -> "make_timestamp(" + quoted() + ")::timestamptz";
          case FLAG -> quoted() + " <> 0";
        };
    return value + " as " + quoted();
  }

  /** The expression that reads it from a file, in a query of DuckDB. */
  String loaded() {
    return loaded("");
  }

  /** The same where the file has this name, with a point behind it. */
  String loaded(String file) {
    return switch (kind) {
      case NUMBER, SPAN, FLAG -> file + quoted() + "::bigint";
      case TEXT -> file + quoted();
      case TIME -> "epoch_us(" + file + quoted() + ")";
    };
  }

  /** The parameter of PostgreSQL for the values of many rows. */
  String bound() {
    return isText() ? "?::text[]" : "?::bigint[]";
  }

  /** The expression that writes it to PostgreSQL, from {@code u}. */
  String written() {
    return switch (kind) {
      case NUMBER -> "u." + name + "::" + type;
      case TEXT -> type.equals("text") ? "u." + name : "u." + name + "::" + type;
      case TIME -> "timestamptz 'epoch' + u." + name + " * interval '1 microsecond'";
      case SPAN -> "u." + name + " * interval '1 microsecond'";
      case FLAG -> "u." + name + " <> 0";
    };
  }
}
