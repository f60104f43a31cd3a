package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;

/** What the registry knows of segments of history; each method one or a few statements. */
public final class SegmentRegister {

  private final RotaTables rota;

  /** For one registry. */
  public SegmentRegister(RotaTables rota) {
    this.rota = rota;
  }

  /** The open segment of a tenant, whose row stays locked. */
  public int lockCurrent(Session session, int tenant) throws SQLException {
    List<Integer> found =
        session.run(
            Call.query(
                SegmentSql.CURRENT.call(),
                SegmentSql.CURRENT.on("tenants", rota.tenants()),
                row -> row.getInt(1),
                tenant));
    if (found.isEmpty()) {
      throw new IllegalStateException("the tenant is gone");
    }
    return found.get(0);
  }

  /** One segment takes over from another. */
  public void succeed(Session session, int tenant, int sealed, int opened) throws SQLException {
    Name segments = rota.segments();
    update(session, SegmentSql.OPEN, "segments", segments, tenant, opened);
    update(session, SegmentSql.SEAL, "segments", segments, tenant, sealed);
    update(session, SegmentSql.POINT, "tenants", rota.tenants(), opened, tenant);
  }

  /** The segments that exist. */
  public List<Integer> kept(Session session, int tenant) throws SQLException {
    return session.run(
        Call.query(
            SegmentSql.KEPT.call(),
            SegmentSql.KEPT.on("segments", rota.segments()),
            row -> row.getInt(1),
            tenant));
  }

  /** Whether an open batch may still write into a segment. */
  boolean isInUse(Session session, int tenant, int seq) throws SQLException {
    return !session
        .run(
            Call.query(
                SegmentSql.OPEN_BATCH.call(),
                SegmentSql.OPEN_BATCH.on("ledger", rota.ledgerView()),
                row -> row.getLong(1),
                tenant,
                seq))
        .isEmpty();
  }

  /** A segment is no more. */
  void dropped(Session session, int tenant, int seq, long rows) throws SQLException {
    update(session, SegmentSql.DROPPED, "segments", rota.segments(), rows, tenant, seq);
  }

  private static void update(
      Session session, SqlTemplate statement, String place, Name table, Object... binds)
      throws SQLException {
    session.run(Call.update(statement.call(), statement.on(place, table), binds));
  }
}
