package dev.rota.internal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantTables;
import dev.rota.internal.log.Logs;
import dev.rota.internal.text.Shown;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The registry of assignment pools, as far as this process has opened them, and the maker of their
 * tables. A pool never changes, so what is known stays true. Thread-safe.
 */
final class AssignmentPools {

  private static final Sql HAND_BACK_ASSIGNMENTS = Sql.named("hand_back_assignments");

  private static final Logger log = Logs.of(AssignmentPools.class);

  private static final Field<Integer> NUMBER = field(name("number"), Integer.class);
  private static final Field<Integer> TENANT = field(name("tenant"), Integer.class);
  private static final Field<Short> KIND = field(name("kind"), Short.class);
  private static final Field<String> NAME = field(name("name"), String.class);

  private final Database database;
  private final RotaTables tables;
  private final int lockNamespace;
  private final Lease lease;
  private final Cache<Key, Pool> known = Caffeine.newBuilder().maximumSize(100_000).build();
  private final Set<TenantTables> used = ConcurrentHashMap.newKeySet();

  private record Key(int tenant, String pool) {}

  AssignmentPools(Database database, RotaTables tables, int lockNamespace, Lease lease) {
    this.database = database;
    this.tables = tables;
    this.lockNamespace = lockNamespace;
    this.lease = lease;
  }

  /** Opens a pool, which is made if there is none; from then on this process has a lease. */
  Pool open(TenantHandle tenant, String pool, PoolKind kind) {
    TaskRules.checkName("pool", pool);
    Key key = new Key(tenant.number(), pool);
    Pool found = known.getIfPresent(key);
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
  void handBack() {
    if (!used.isEmpty()) {
      long holder = lease.holder();
      used.forEach(tenant -> handBackQuietly(tenant, holder));
    }
  }

  /** One tenant's trouble must not keep the assignments of others. */
  private void handBackQuietly(TenantTables tenant, long holder) {
    String purpose = "hand back the assignments of tenant " + tenant.number();
    try {
      List<Long> unused =
          database.tryTransaction(purpose, session -> handBack(session, tenant, holder));
    } catch (SQLException e) {
      if (Errors.isMissingTable(e)) {
        log.debug("tenant {} was erased, and its assignments with it", tenant.number());
      } else {
        log.warn(
            "Rota could not hand back assignments: {}", Errors.translate(purpose, e).getMessage());
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
        Call.query(HAND_BACK_ASSIGNMENTS.call(), sql, row -> row.getLong(1), holder));
  }

  private Pool findOrMake(TenantHandle tenant, String pool, PoolKind kind) {
    Pool.Entry found = find(tenant, pool);
    Pool.Entry entry = found == null ? make(tenant, pool, kind) : found;
    return new Pool(tenant, entry, tables, lockNamespace);
  }

  private Pool.@Nullable Entry find(TenantHandle tenant, String pool) {
    String purpose = "look for assignment pool '" + Shown.whole(pool) + "' of " + tenant.label();
    try {
      List<Pool.Entry> found =
          database.tryTransaction(purpose, session -> select(session, tenant, pool));
      return found.isEmpty() ? null : found.get(0);
    } catch (SQLException e) {
      if (Errors.isMissingRegistry(e)) {
        throw Errors.schemaMissing(tables.schema());
      }
      throw Errors.translate(purpose, e);
    }
  }

  private List<Pool.Entry> select(Session session, TenantHandle tenant, String pool)
      throws SQLException {
    return session
        .dsl()
        .select(NUMBER, NAME, KIND)
        .from(table(tables.assignmentPools()))
        .where(TENANT.eq(tenant.number()), NAME.eq(pool))
        .fetch(row -> new Pool.Entry(row.value1(), row.value2(), PoolKind.of(row.value3())));
  }

  private Pool.Entry make(TenantHandle tenant, String pool, PoolKind kind) {
    return database.transaction(
        "make assignment pool '" + Shown.whole(pool) + "' of " + tenant.label(),
        session -> make(session, tenant, pool, kind));
  }

  /** One process at a time: the row of the tenant is locked. */
  private Pool.Entry make(Session session, TenantHandle tenant, String pool, PoolKind kind)
      throws SQLException {
    session.run(RoleSql.actAsKeeper(tables));
    RegistryEditor.lock(session, tables, tenant);
    List<Pool.Entry> others = select(session, tenant, pool);
    if (!others.isEmpty()) {
      return others.get(0);
    }
    if (!FeatureTables.exists(session, tenant.tables().assignments())) {
      session.execute("create assignments", TenantDdl.createAssignments(tenant.tables()));
    }
    Integer number =
        session
            .dsl()
            .insertInto(table(tables.assignmentPools()), TENANT, KIND, NAME)
            .values(tenant.number(), (short) kind.code(), pool)
            .returningResult(NUMBER)
            .fetchSingle(NUMBER);
    return new Pool.Entry(number, pool, kind);
  }
}
