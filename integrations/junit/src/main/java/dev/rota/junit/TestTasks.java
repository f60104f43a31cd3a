package dev.rota.junit;

import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
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

  private static final Sql LIST_TASKS = Sql.named("list_tasks_of_test");
  private static final Sql ADVANCE_TASKS = Sql.named("bring_tasks_forward");
  private static final Sql ADVANCE_KEYS = Sql.named("bring_keys_forward");
  private static final Sql ADVANCE_SCHEDULES = Sql.named("bring_schedules_forward");
  private static final Sql ADVANCE_PAUSES = Sql.named("bring_pauses_forward");
  private static final Sql ADVANCE_KIND_PAUSES = Sql.named("bring_kind_pauses_forward");
  private static final Sql SET_ASIDE = Sql.named("set_tenants_aside");
  private static final Sql FORGET_RULES = Sql.named("forget_rules");
  private static final Sql FORGET_KIND_PAUSES = Sql.named("forget_kind_pauses");

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

  /** Begins a test: rules end, and the names of all tenants are free. */
  void begin() {
    List<Tenant> earlier =
        kernel.database().transaction("set the tasks of earlier tests aside", this::setAside);
    earlier.forEach(tenant -> past.add(tenant.number));
    earlier.forEach(tenant -> kernel.registry().changed(tenant.name));
    kernel.rules().forget();
  }

  /** A tenant, and the name that it had. */
  private record Tenant(int number, String name) {}

  private List<Tenant> setAside(Session session) throws SQLException {
    session.runLast(
        List.of(
            update(FORGET_RULES, Map.of("rules", tables.rules())),
            update(FORGET_KIND_PAUSES, Map.of("kind_pauses", tables.kindPauses()))));
    return session.run(
        BoundStatement.query(
            SET_ASIDE.call(),
            SET_ASIDE.on("tenants", tables.tenants()),
            row -> new Tenant(row.getInt(1), row.getString(2)),
            pastNumbers()));
  }

  private int[] pastNumbers() {
    return past.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Whether a tenant is one of the present test, given its number. */
  boolean isPresent(int tenant) {
    return !past.contains(tenant);
  }

  /** The waiting tasks and the attempts of a tenant. */
  List<Row> of(int number) {
    TenantRef tenant = kernel.registry().get(number);
    return kernel
        .database()
        .transaction(
            "list the tasks of a test",
            session -> tenant.hasTables(session) ? read(session, tenant.tables()) : List.of());
  }

  private static List<Row> read(Session session, TenantTables tenant) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_TASKS.call(),
            LIST_TASKS.on(Map.of("pending", tenant.pendingView(), "history", tenant.historyView())),
            row -> new Row(row.getString(1), row.getString(2), row.getString(3))));
  }

  /** Lets time pass for all that waits. */
  void advance(Duration time) {
    long micros = TimeUnit.MICROSECONDS.convert(time);
    List<TenantRef> tenants =
        kernel.registry().loadAll().stream().filter(each -> isPresent(each.number())).toList();
    List<Integer> unused =
        kernel
            .database()
            .transaction(
                "let time pass in a test",
                session -> session.runAll(passing(session, tenants, micros)));
    kernel.rules().forget();
  }

  private List<BoundStatement<Integer>> passing(
      Session session, List<TenantRef> tenants, long micros) throws SQLException {
    List<BoundStatement<Integer>> all = new ArrayList<>();
    for (TenantRef tenant : tenants) {
      all.add(update(ADVANCE_TASKS, Map.of("waiting", tenant.tables().waiting()), micros));
      if (LazyTables.exists(session, tenant.tables().keys())) {
        all.add(update(ADVANCE_KEYS, Map.of("keys", tenant.tables().keys()), micros));
      }
    }
    Map<String, Name> schedules = Map.of("schedules", tables.schedules());
    all.add(update(ADVANCE_SCHEDULES, schedules, micros, micros, pastNumbers()));
    all.add(update(ADVANCE_PAUSES, Map.of("rules", tables.rules()), micros));
    all.add(update(ADVANCE_KIND_PAUSES, Map.of("kind_pauses", tables.kindPauses()), micros));
    return all;
  }

  private static BoundStatement<Integer> update(
      Sql statement, Map<String, Name> places, Object... binds) {
    return BoundStatement.update(statement.call(), statement.on(places), binds);
  }
}
