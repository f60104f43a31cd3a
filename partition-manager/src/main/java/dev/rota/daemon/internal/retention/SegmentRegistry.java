package dev.rota.daemon.internal.retention;

import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads and writes the registry of segments of history; each method runs one or a few statements.
 */
public final class SegmentRegistry {

  private static final Sql LOCK_SEGMENT_POINTER = Sql.named("lock_segment_pointer");
  private static final Sql LIST_SEGMENTS = Sql.named("list_segments");
  private static final Sql OPEN_SEGMENT = Sql.named("open_segment");
  private static final Sql SEAL_SEGMENT = Sql.named("seal_segment");
  private static final Sql POINT_TO_SEGMENT = Sql.named("point_to_segment");
  private static final Sql LOOK_FOR_OPEN_BATCHES_OF_SEGMENT =
      Sql.named("look_for_open_batches_of_segment");
  private static final Sql NOTE_DROPPED_SEGMENT = Sql.named("note_dropped_segment");

  private final RegistryCalls calls;

  /** Creates the access to one registry. */
  public SegmentRegistry(RegistryTables rota) {
    this.calls = new RegistryCalls(rota);
  }

  /** Returns the open segment of a tenant, and locks the tenant's row. */
  public int lockCurrent(Session session, int tenant) throws SQLException {
    List<Integer> found =
        session.run(calls.query(LOCK_SEGMENT_POINTER, row -> row.getInt(1), tenant));
    if (found.isEmpty()) {
      throw new IllegalStateException("the tenant is gone");
    }
    return found.get(0);
  }

  /** Replaces the open segment by a new one. */
  public void succeed(Session session, int tenant, int sealed, int opened) throws SQLException {
    session.run(calls.update(OPEN_SEGMENT, tenant, opened));
    session.run(calls.update(SEAL_SEGMENT, tenant, sealed));
    session.run(calls.update(POINT_TO_SEGMENT, opened, tenant));
  }

  /** The segments that exist. */
  public List<Integer> kept(Session session, int tenant) throws SQLException {
    return session.run(calls.query(LIST_SEGMENTS, row -> row.getInt(1), tenant));
  }

  /** Whether an open batch may still write into a segment. */
  boolean isInUse(Session session, int tenant, int seq) throws SQLException {
    return !session
        .run(calls.query(LOOK_FOR_OPEN_BATCHES_OF_SEGMENT, row -> row.getLong(1), tenant, seq))
        .isEmpty();
  }

  /** Records that a segment was dropped. */
  void dropped(Session session, int tenant, int seq, long rows) throws SQLException {
    session.run(calls.update(NOTE_DROPPED_SEGMENT, rows, tenant, seq));
  }
}
