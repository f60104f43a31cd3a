package dev.rota.archive.internal.store;

/** A library that only some applications need, and that they add to their dependencies. */
public enum OptionalLibrary {
  /** Writes and reads the files of archives and exports. */
  DUCKDB("org.duckdb.DuckDBDriver", "org.duckdb:duckdb_jdbc"),

  /** Reaches a bucket. */
  S3("software.amazon.awssdk.services.s3.S3Client", "software.amazon.awssdk:s3"),

  /** The HTTP client under {@link #S3}. */
  S3_HTTP(
      "software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient",
      "software.amazon.awssdk:url-connection-client");

  private final String typeName;
  private final String dependency;

  OptionalLibrary(String typeName, String dependency) {
    this.typeName = typeName;
    this.dependency = dependency;
  }

  /**
   * Checks that the library is on the class path.
   *
   * @param user the feature that needs it, for the message
   * @throws IllegalStateException if it is missing; the message names the dependency to add
   */
  public void require(String user) {
    try {
      Class.forName(typeName, false, OptionalLibrary.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          user + " needs a library that is missing: add the dependency " + dependency, e);
    }
  }
}
