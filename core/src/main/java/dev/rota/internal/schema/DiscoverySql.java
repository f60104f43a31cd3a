package dev.rota.internal.schema;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;

/** Statements that look up tables and that several classes share. */
public final class DiscoverySql {

  /** The number of no table: the row of {@link #discover} with the version of the rules. */
  public static final long RULES = 0;

  private static final Sql DISCOVER = Sql.named("discover");

  /** The name under which {@link #discover} goes through the seam. */
  public static final String CALL = DISCOVER.call();

  public static final Sql LOOK_UP_TABLES = Sql.named("look_up_tables");
  public static final Sql LOOK_FOR_TABLES = Sql.named("look_for_tables");
  private static final Sql LOOK_FOR_GONE = Sql.named("look_for_tables_that_are_gone");

  private DiscoverySql() {}

  /**
   * Finds counters that differ from what was seen: the numbers of tables, what was seen of each,
   * and the version of the rules that the caller knows.
   */
  public static String discover(RegistryTables tables) {
    return DISCOVER.on("rule_version", tables.ruleVersion());
  }

  /** Finds the tables that no longer have the given names. */
  public static BoundStatement<List<Long>> gone(long[] tables, List<Name> names) {
    String[] schemas = names.stream().map(Name::first).toArray(String[]::new);
    String[] ownNames = names.stream().map(Name::last).toArray(String[]::new);
    return BoundStatement.query(LOOK_FOR_GONE, row -> row.getLong(1), tables, schemas, ownNames);
  }

  /** The object numbers of tables, in the order of the names; 0 for one that is missing. */
  public static List<Long> oids(Session session, List<Name> names) throws SQLException {
    String[] texts = names.stream().map(Sql::render).toArray(String[]::new);
    return session.run(BoundStatement.query(LOOK_UP_TABLES, row -> row.getLong(1), (Object) texts));
  }
}
