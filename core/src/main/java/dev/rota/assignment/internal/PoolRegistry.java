package dev.rota.assignment.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantEditor;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Caches the pools that this process has opened, and creates pools and their tables. A pool never
 * changes, so the cache stays valid. Thread-safe.
 */
public final class PoolRegistry {

  private static final Sql HAND_BACK_ASSIGNMENTS = Sql.named("hand_back_assignments");

  private static final Logger log = Logs.of(PoolRegistry.class);

  private static final Field<Integer> NUMBER = field(name("number"), Integer.class);
  private static final Field<Integer> TENANT = field(name("tenant"), Integer.class);
  private static final Field<Short> KIND = field(name("kind"), Short.class);
  private static final Field<String> NAME = field(name("name"), String.class);

  private final Database database;
  private final RegistryTables tables;
  private final int lockNamespace;
  private final ProcessLease lease;
  private final Cache<Key, PoolStatements> known =
      Caffeine.newBuilder().maximumSize(100_000).build();
  private final Set<TenantTables> used = ConcurrentHashMap.newKeySet();

  private record Key(int tenant, String pool) {}

  public PoolRegistry(
      Database database, RegistryTables tables, int lockNamespace, ProcessLease lease) {
    this.database = database;
    this.tables = tables;
    this.lockNamespace = lockNamespace;
    this.lease = lease;
    database.history().onChange(known::invalidateAll);
  }

  /** Opens a pool, which is created if it does not exist; from then on this process has a lease. */
  PoolStatements open(TenantRef tenant, String pool, PoolKind kind) {
    TaskValidator.checkName("pool", pool);
    Key key = new Key(tenant.number(), pool);
    PoolStatements found = known.getIfPresent(key);
    if (found == null) {
      found = findOrMake(tenant, pool, kind);
      known.put(key, found);
    }
    if (found.kind() != kind) {
      throw new IllegalArgumentException(
          "%s is one of %s, not of %s; open it with assignments().%s(name), or choose another name"
              .formatted(found.label(), found.kind().label(), kind.label(), found.kind().label()));
    }
    long unused = lease.holder();
    used.add(tenant.tables());
    return found;
  }

  /** Ends all assignments that this process has made. If that fails, the daemon does it. */
  public void handBack() {
    if (!used.isEmpty()) {
      long holder = lease.holder();
      used.forEach(tenant -> handBackQuietly(tenant, holder));
    }
  }

  /**
   * Ends the assignments at one tenant. A failure is logged, so that the assignments at other
   * tenants still end.
   */
  private void handBackQuietly(TenantTables tenant, long holder) {
    String purpose = "hand back the assignments of tenant " + tenant.number();
    try {
      List<Long> unused =
          database.tryTransaction(purpose, session -> handBack(session, tenant, holder));
    } catch (SQLException e) {
      if (SqlErrors.isMissingTable(e)) {
        log.debug("tenant {} was erased, and its assignments with it", tenant.number());
      } else {
        log.warn(
            "Rota could not hand back assignments: {}",
            SqlErrors.translate(purpose, e).getMessage());
      }
    } catch (RuntimeException e) {
      log.warn("Rota could not hand back assignments: {}", e.getMessage());
    }
  }

  private static List<Long> handBack(Session session, TenantTables tenant, long holder)
      throws SQLException {
    String sql =
        HAND_BACK_ASSIGNMENTS.on("assignments", tenant.assignments(), "free", tenant.free());
    return session.run(
        BoundStatement.query(HAND_BACK_ASSIGNMENTS.call(), sql, row -> row.getLong(1), holder));
  }

  private PoolStatements findOrMake(TenantRef tenant, String pool, PoolKind kind) {
    PoolStatements.Entry found = find(tenant, pool);
    PoolStatements.Entry entry = found == null ? make(tenant, pool, kind) : found;
    return new PoolStatements(tenant, entry, tables, lockNamespace);
  }

  private PoolStatements.@Nullable Entry find(TenantRef tenant, String pool) {
    String purpose = "look for assignment pool '" + SafeText.whole(pool) + "' of " + tenant.label();
    try {
      List<PoolStatements.Entry> found =
          database.tryTransaction(purpose, session -> select(session, tenant, pool));
      return found.isEmpty() ? null : found.get(0);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw SqlErrors.translate(purpose, e);
    }
  }

  private List<PoolStatements.Entry> select(Session session, TenantRef tenant, String pool)
      throws SQLException {
    return session
        .dsl()
        .select(NUMBER, NAME, KIND)
        .from(table(tables.assignmentPools()))
        .where(TENANT.eq(tenant.number()), NAME.eq(pool))
        .fetch(
            row -> new PoolStatements.Entry(row.value1(), row.value2(), PoolKind.of(row.value3())));
  }

  private PoolStatements.Entry make(TenantRef tenant, String pool, PoolKind kind) {
    return database.transaction(
        "make assignment pool '" + SafeText.whole(pool) + "' of " + tenant.label(),
        session -> make(session, tenant, pool, kind));
  }

  /** Creates the pool. The lock on the tenant's row admits one process at a time. */
  private PoolStatements.Entry make(Session session, TenantRef tenant, String pool, PoolKind kind)
      throws SQLException {
    session.run(RoleSql.actAsKeeper(tables));
    TenantEditor.lock(session, tables, tenant);
    List<PoolStatements.Entry> others = select(session, tenant, pool);
    if (!others.isEmpty()) {
      return others.get(0);
    }
    TablesOnDemand.make(session, tables, tenant);
    if (!LazyTables.exists(session, tenant.tables().assignments())) {
      session.execute("create assignments", TenantDdl.createAssignments(tenant.tables()));
    }
    Integer number =
        session
            .dsl()
            .insertInto(table(tables.assignmentPools()), TENANT, KIND, NAME)
            .values(tenant.number(), (short) kind.code(), pool)
            .returningResult(NUMBER)
            .fetchSingle(NUMBER);
    return new PoolStatements.Entry(number, pool, kind);
  }
}
