package dev.rota.partition.internal;

import dev.rota.internal.db.RegistryCalls;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/** What the registry knows of segments of history; each method one or a few statements. */
public final class SegmentRegister {

  private final RegistryCalls calls;

  /** For one registry. */
  public SegmentRegister(RotaTables rota) {
    this.calls = new RegistryCalls(rota);
  }

  /** The open segment of a tenant, whose row stays locked. */
  public int lockCurrent(Session session, int tenant) throws SQLException {
    List<Integer> found =
        session.run(calls.query(SegmentSql.CURRENT, row -> row.getInt(1), tenant));
    if (found.isEmpty()) {
      throw new IllegalStateException("the tenant is gone");
    }
    return found.get(0);
  }

  /** One segment takes over from another. */
  public void succeed(Session session, int tenant, int sealed, int opened) throws SQLException {
    session.run(calls.update(SegmentSql.OPEN, tenant, opened));
    session.run(calls.update(SegmentSql.SEAL, tenant, sealed));
    session.run(calls.update(SegmentSql.POINT, opened, tenant));
  }

  /** The segments that exist. */
  public List<Integer> kept(Session session, int tenant) throws SQLException {
    return session.run(calls.query(SegmentSql.KEPT, row -> row.getInt(1), tenant));
  }

  /** Whether an open batch may still write into a segment. */
  boolean isInUse(Session session, int tenant, int seq) throws SQLException {
    return !session
        .run(calls.query(SegmentSql.OPEN_BATCH, row -> row.getLong(1), tenant, seq))
        .isEmpty();
  }

  /** A segment is no more. */
  void dropped(Session session, int tenant, int seq, long rows) throws SQLException {
    session.run(calls.update(SegmentSql.DROPPED, rows, tenant, seq));
  }
}
