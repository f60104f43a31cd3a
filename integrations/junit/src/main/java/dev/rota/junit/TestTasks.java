package dev.rota.junit;

import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;

/** Reads the tasks of the present test, and moves their times. Used by one thread. */
final class TestTasks {

  private static final Sql FIND_TABLES = Sql.named("find_tables_of_test");
  private static final Sql LIST_TASKS = Sql.named("list_tasks_of_test");
  private static final Sql ADVANCE_TASKS = Sql.named("bring_tasks_forward");
  private static final Sql ADVANCE_KEYS = Sql.named("bring_keys_forward");
  private static final Sql ADVANCE_SCHEDULES = Sql.named("bring_schedules_forward");
  private static final Sql ADVANCE_PAUSES = Sql.named("bring_pauses_forward");
  private static final Sql ADVANCE_KIND_PAUSES = Sql.named("bring_kind_pauses_forward");
  private static final Sql SET_ASIDE = Sql.named("set_tenants_aside");
  private static final Sql FORGET_RULES = Sql.named("forget_rules");
  private static final Sql FORGET_KIND_PAUSES = Sql.named("forget_kind_pauses");
  private static final Sql FORGET_SCHEDULES = Sql.named("forget_schedules");

  private final Kernel kernel;
  private final RegistryTables tables;
  private final Set<Integer> past = new HashSet<>();

  TestTasks(Kernel kernel) {
    this.kernel = kernel;
    this.tables = kernel.tables();
  }

  /**
   * A task that waits, or an attempt.
   *
   * @param state its state, as the views of the tenant call it
   */
  record Row(String state, String kind, String payload) {

    /** Whether it waits to run, now or later. */
    boolean isPending() {
      return state.equals("pending") || state.equals("waiting");
    }

    @Override
    public String toString() {
      return state + " " + kind + " " + payload;
    }
  }

  /** Begins a test: rules and schedules end, and the names of all tenants are free. */
  void begin() {
    List<Integer> earlier =
        kernel.database().transaction("set the tasks of earlier tests aside", this::setAside);
    past.addAll(earlier);
    earlier.forEach(kernel.registry()::forget);
    kernel.rules().forget();
  }

  /** Adds the statements to the flush of the COMMIT, in which the numbers of the tenants come. */
  private List<Integer> setAside(Session session) {
    List<Integer> earlier = new ArrayList<>();
    session.prepend(
        BoundStatement.query(
            SET_ASIDE.call(),
            SET_ASIDE.on("tenants", tables.tenants()),
            row -> earlier.add(row.getInt(1)),
            pastNumbers()));
    session.appendToCommit(update(FORGET_RULES, Map.of("rules", tables.rules())));
    session.appendToCommit(update(FORGET_KIND_PAUSES, Map.of("kind_pauses", tables.kindPauses())));
    session.appendToCommit(update(FORGET_SCHEDULES, Map.of("schedules", tables.schedules())));
    return earlier;
  }

  /** The numbers of the tenants of earlier tests. */
  int[] pastNumbers() {
    return past.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Whether a tenant is one of the present test, given its number. */
  boolean isPresent(int tenant) {
    return !past.contains(tenant);
  }

  /** Reads the tenants of the present test that have tables, by ascending number. */
  List<TenantRef> presentTenants() {
    return kernel.registry().loadAll().stream().filter(each -> isPresent(each.number())).toList();
  }

  /** The waiting tasks and the attempts of a tenant. */
  List<Row> of(int number) {
    TenantRef tenant = kernel.registry().get(number);
    return tenant.state().isParked() ? ofParked(tenant) : read(tenant.tables());
  }

  /** Reads the tenant first: another process may have made its tables. */
  private List<Row> ofParked(TenantRef tenant) {
    boolean hasTables = kernel.database().transaction("look for tables", tenant::hasTables);
    return hasTables ? read(tenant.tables()) : List.of();
  }

  private List<Row> read(TenantTables tenant) {
    return kernel
        .database()
        .transaction(
            "list the tasks of a test",
            Database.alone(
                BoundStatement.query(
                    LIST_TASKS.call(),
                    LIST_TASKS.on("pending", tenant.pendingView(), "history", tenant.historyView()),
                    row -> new Row(row.getString(1), row.getString(2), row.getString(3)))))
        .get();
  }

  /** Lets time pass for all that waits. */
  void advance(Duration time) {
    long micros = TimeUnit.MICROSECONDS.convert(time);
    kernel.database().run("let time pass in a test", session -> advance(session, micros));
    kernel.rules().forget();
  }

  private void advance(Session session, long micros) throws SQLException {
    List<Ring> rings =
        session.run(
            BoundStatement.query(
                FIND_TABLES.call(),
                FIND_TABLES.on("tenants", tables.tenants()),
                row -> new Ring(row.getInt(1), row.getBoolean(2)),
                tables.schema(),
                pastNumbers()));
    for (Ring ring : rings) {
      TenantTables own = tables.tenant(ring.tenant);
      session.appendToCommit(update(ADVANCE_TASKS, Map.of("waiting", own.waiting()), micros));
      if (ring.hasKeys) {
        session.appendToCommit(update(ADVANCE_KEYS, Map.of("keys", own.keys()), micros));
      }
    }
    Map<String, Name> schedules = Map.of("schedules", tables.schedules());
    session.appendToCommit(update(ADVANCE_SCHEDULES, schedules, micros, micros));
    session.appendToCommit(update(ADVANCE_PAUSES, Map.of("rules", tables.rules()), micros));
    session.appendToCommit(
        update(ADVANCE_KIND_PAUSES, Map.of("kind_pauses", tables.kindPauses()), micros));
  }

  /** A tenant with tables, and whether it has one of keys. */
  private record Ring(int tenant, boolean hasKeys) {}

  private static BoundStatement<Integer> update(
      Sql statement, Map<String, Name> places, Object... binds) {
    return BoundStatement.update(statement.call(), statement.on(places), binds);
  }
}
