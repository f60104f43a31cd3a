package dev.rota.internal.sql;

import java.sql.Connection;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Builds queries of archived history, which DuckDB runs instead of PostgreSQL. */
public final class DuckDb {

  private DuckDb() {}

  /** Creates a context on a connection that an archive has opened. */
  public static DSLContext dsl(Connection connection) {
    return DSL.using(connection, SQLDialect.DUCKDB, Sql.settings());
  }
}
