package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Name;
import org.jooq.impl.DSL;

/**
 * The tasks in rings of a tenant, as the server estimates.
 *
 * @param tenant its number
 * @param pending how many there are
 * @param removed how many were removed so far
 * @param slots the slots that seem to have some
 */
public record RingBacklog(int tenant, long pending, long removed, List<Name> slots) {

  private static final Sql ESTIMATE_BACKLOGS = Sql.named("estimate_backlogs");

  /** Reads the tenants that have tasks in rings. */
  public static List<RingBacklog> read(Session session, RegistryTables tables) throws SQLException {
    Pattern schemas = Pattern.compile(Pattern.quote(tables.schema()) + "_([0-9]+)");
    List<RingBacklog> found = new ArrayList<>();
    session.run(
        BoundStatement.query(
            ESTIMATE_BACKLOGS,
            row -> {
              String schema = row.getString(1);
              Matcher matcher = schemas.matcher(schema);
              if (!matcher.matches()) {
                return false;
              }
              List<Name> slots = new ArrayList<>();
              for (String table : (String[]) row.getArray(4).getArray()) {
                slots.add(DSL.name(schema, table));
              }
              return found.add(
                  new RingBacklog(
                      Integer.parseInt(matcher.group(1)), row.getLong(2), row.getLong(3), slots));
            }));
    return found;
  }
}
