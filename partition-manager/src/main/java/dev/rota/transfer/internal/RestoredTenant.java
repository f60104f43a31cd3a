package dev.rota.transfer.internal;

import dev.rota.daemon.internal.retention.SegmentDropper;
import dev.rota.daemon.internal.retention.SegmentRegistry;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.SafeText;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jooq.Name;

/**
 * Prepares a tenant for its restore: registers it, and opens a segment behind its archived ones.
 */
final class RestoredTenant {

  private static final Sql RESTORE_TENANT = Sql.named("restore_tenant");
  private static final Sql LOOK_WHETHER_SEGMENT_IS_EMPTY =
      Sql.named("look_whether_segment_is_empty");

  /** The lock timeout: other sessions that change the registry wait behind this one. */
  static final Duration LOCK_PATIENCE = Duration.ofSeconds(5);

  private final Database database;
  private final TenantRegistry registry;
  private final TenantLookup lookup;
  private final ArchiveOwnership ownership;
  private final RegistryTables rota;
  private final TenantDdl ddl;

  RestoredTenant(
      Database database, TenantRegistry registry, TenantLookup lookup, ArchiveOwnership ownership) {
    this.database = database;
    this.registry = registry;
    this.lookup = lookup;
    this.ownership = ownership;
    this.rota = registry.tables();
    this.ddl = new TenantDdl(rota);
  }

  /** Runs all steps of a plan in one transaction, which refuses a plan that is no longer valid. */
  void prepare(RestorePlan plan, Optional<ArchiveOwnership.TakeOver> takeOver)
      throws IOException, SQLException {
    boolean unused =
        database
            .withLockTimeout(LOCK_PATIENCE)
            .tryTransaction(
                "prepare tenant '" + SafeText.whole(plan.name()) + "' to be restored",
                session -> prepare(session, plan, takeOver));
    registry.refresh();
    if (takeOver.isPresent()) {
      ownership.finish(takeOver.get());
    }
    dropEmpty(plan);
  }

  private boolean prepare(
      Session session, RestorePlan plan, Optional<ArchiveOwnership.TakeOver> takeOver)
      throws SQLException {
    session.run(RoleSql.actAsKeeper(rota));
    if (takeOver.isPresent() || !plan.registered()) {
      new TenantNumbers(rota).hold(session);
    }
    boolean known = isKnown(session, plan);
    if (takeOver.isPresent()) {
      ownership.begin(session, takeOver.get());
    }
    if (known) {
      session.execute("make tables", List.of(ddl.open(rota.tenant(plan.number()))));
    } else {
      register(session, plan);
    }
    openBehind(session, plan);
    return true;
  }

  /** Whether the tenant is registered by now. Comes first: later refusals leave sequences moved. */
  private boolean isKnown(Session session, RestorePlan plan) throws SQLException {
    Optional<TenantLookup.Here> here = lookup.find(session, plan.name());
    if (here.isEmpty() && !plan.registered()) {
      new TenantEditor(rota).requireFree(session, plan.name());
      return false;
    }
    if (here.isEmpty() || here.get().number() != plan.number()) {
      throw new TransferException(
          "tenant '%s' was registered or erased at this moment; repeat the call"
              .formatted(SafeText.whole(plan.name())));
    }
    return true;
  }

  private void register(Session session, RestorePlan plan) throws SQLException {
    RegistryCalls calls = new RegistryCalls(rota);
    int segment = plan.lastSegment() + 1;
    int registered = session.run(calls.update(RESTORE_TENANT, plan.number(), plan.name(), segment));
    if (registered == 0) {
      throw new TransferException(
          "number " + plan.number() + " was given to another tenant at this moment");
    }
    new TenantNumbers(rota).skipTo(session, plan.number());
    TenantMaker.create(session, rota, plan.number());
  }

  /** Opens a segment behind the last archived one, into which claims write from now on. */
  private void openBehind(Session session, RestorePlan plan) throws SQLException {
    SegmentRegistry segments = new SegmentRegistry(rota);
    int current = segments.lockCurrent(session, plan.number());
    int next = plan.lastSegment() + 1;
    if (current >= next) {
      return;
    }
    TenantTables tenant = rota.tenant(plan.number());
    session.execute("create segment", List.of(ddl.createSegment(tenant, next)));
    segments.succeed(session, plan.number(), current, next);
    List<Integer> kept = segments.kept(session, plan.number());
    session.execute("renew history view", List.of(ddl.historyView(tenant, kept)));
  }

  /** Drops an empty segment, so that its number is free for an archived file. */
  private void dropEmpty(RestorePlan plan) throws SQLException {
    List<Integer> kept =
        database.tryTransaction(
            "list segments", session -> new SegmentRegistry(rota).kept(session, plan.number()));
    for (int seq : kept) {
      if (seq <= plan.lastSegment()) {
        drop(rota.tenant(plan.number()), seq);
      }
    }
  }

  private void drop(TenantTables tenant, int seq) throws SQLException {
    boolean unused =
        database.tryTransaction(
            "drop an empty segment",
            session -> {
              session.run(RoleSql.actAsKeeper(rota));
              return new SegmentDropper(rota)
                  .run(session, tenant, seq, last -> isEmpty(last, tenant.segment(seq)));
            });
  }

  private static OptionalLong isEmpty(Session session, Name segment) throws SQLException {
    boolean any =
        !session
            .run(
                BoundStatement.query(
                    LOOK_WHETHER_SEGMENT_IS_EMPTY.call(),
                    LOOK_WHETHER_SEGMENT_IS_EMPTY.on("segment", segment),
                    row -> true))
            .isEmpty();
    return any ? OptionalLong.empty() : OptionalLong.of(0);
  }
}
