package dev.rota.cli.database;

import dev.rota.cli.common.UsageException;

/** A library of the full command that {@code rota-slim.jar} does without. */
public enum BundledLibrary {
  /** Starts a server of Rota's own. */
  SERVER(
      "io.zonky.test.db.postgres.embedded.EmbeddedPostgres",
      "the PostgreSQL server",
      "give --jdbc-url or ROTA_JDBC_URL, or use the full command"),

  /** Writes and reads the files of archives and exports. */
  DUCKDB(
      "org.duckdb.DuckDBDriver",
      "DuckDB",
      "add org.duckdb:duckdb_jdbc to the class path, or use the full command"),

  /** Reaches a bucket. */
  S3(
      "software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient",
      "the AWS SDK",
      "add software.amazon.awssdk:s3 and software.amazon.awssdk:url-connection-client to the class"
          + " path, or use the full command");

  private final String typeName;
  private final String label;
  private final String remedy;

  BundledLibrary(String typeName, String label, String remedy) {
    this.typeName = typeName;
    this.label = label;
    this.remedy = remedy;
  }

  /**
   * Checks that the library is on the class path.
   *
   * @param user the option or the command that needs it
   * @throws UsageException if it is missing; the message says what to do
   */
  public void require(String user) {
    try {
      Class.forName(typeName, false, BundledLibrary.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new UsageException(user + " needs " + label + ", which is not in this jar; " + remedy);
    }
  }
}
