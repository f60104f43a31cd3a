package dev.rota.daemon.internal.retention;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jooq.Name;

/** Drops a sealed segment in one transaction, under its lock. */
public final class SegmentDropper {

  private static final Sql LOCK_SEGMENT = Sql.named("lock_segment");
  private static final Sql DROP_SEGMENT = Sql.named("drop_segment");

  private final TenantDdl ddl;
  private final SegmentRegistry segments;

  /** The last check of a segment, when no session can write into it. */
  public interface LastLook {

    /** Returns the number of its rows, or empty if it must stay. */
    OptionalLong rows(Session session) throws SQLException;
  }

  /** Creates the dropper of one registry. */
  public SegmentDropper(RegistryTables rota) {
    this.ddl = new TenantDdl(rota);
    this.segments = new SegmentRegistry(rota);
  }

  /**
   * Locks writers out until the transaction ends. Call it before {@link #run} where the last check
   * takes long, so that the tenant's row is not locked for as long.
   */
  public void lock(Session session, Name segment) throws SQLException {
    session.run(statement(LOCK_SEGMENT, segment));
  }

  /**
   * Drops the segment. A claim that has not noticed the seal has either committed before the lock,
   * and its batch is visible. Or it fails on the dropped table and goes to the open segment.
   */
  public boolean run(Session session, TenantTables tenant, int seq, LastLook look)
      throws SQLException {
    if (segments.lockCurrent(session, tenant.number()) == seq) {
      return false;
    }
    Name segment = tenant.segment(seq);
    lock(session, segment);
    if (segments.isInUse(session, tenant.number(), seq)) {
      return false;
    }
    OptionalLong rows = look.rows(session);
    if (rows.isEmpty()) {
      return false;
    }
    List<Integer> kept = new ArrayList<>(segments.kept(session, tenant.number()));
    kept.remove(Integer.valueOf(seq));
    session.execute("renew history view", List.of(ddl.historyView(tenant, kept)));
    session.run(statement(DROP_SEGMENT, segment));
    segments.dropped(session, tenant.number(), seq, rows.getAsLong());
    return true;
  }

  private static BoundStatement<Integer> statement(Sql template, Name segment) {
    return BoundStatement.update(template.call(), template.on("segment", segment));
  }
}
