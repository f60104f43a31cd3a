package dev.rota.limits.internal;

import static java.util.stream.Collectors.joining;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.ReasonText;
import dev.rota.limits.internal.why.Subject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells which caps are used up, and which workers hold their slots. Used by one thread. */
final class CapReasons implements ReasonSource {

  private static final Sql LIST_HOLDERS = Sql.named("list_holders");
  private static final Sql SUM_SHARES = Sql.named("sum_shares");

  private static final int MOST_IN_TEXT = 5;

  private final StoredRules.Reading rules;
  private final RegistryTables tables;

  CapReasons(StoredRules.Reading rules, RegistryTables tables) {
    this.rules = rules;
    this.tables = tables;
  }

  /** Slots of a budget that a worker holds. */
  private record Holder(ScopeLimits.Key key, long worker, String host, int held, boolean alive) {

    private Map<String, Object> data() {
      Map<String, Object> data = new LinkedHashMap<>();
      data.put("worker", worker);
      data.put("host", host);
      data.put("held", held);
      data.put("alive", alive);
      return data;
    }

    private String text() {
      return host + " worker " + worker + " (" + held + (alive ? ")" : ", dead)");
    }
  }

  /**
   * The slots of a budget that all workers hold.
   *
   * @param wanted whether one wants more
   * @param holders how many hold some
   */
  private record Use(int held, boolean wanted, int holders) {}

  @Override
  public List<Reason> reasons(Session session, Subject subject) throws SQLException {
    CapRules caps = rules.read(session).limits().caps();
    if (caps.isEmpty()) {
      return List.of();
    }
    List<ScopeLimits.Key> keys = caps.keysOf(subject);
    List<Holder> holders = holders(session, keys);
    return keys.stream()
        .filter(key -> held(holders, key) >= caps.capOf(key))
        .map(key -> reason(key, caps.capOf(key), of(holders, key), subject))
        .toList();
  }

  private List<Holder> holders(Session session, List<ScopeLimits.Key> keys) throws SQLException {
    return session.run(
        BoundStatement.query(
            LIST_HOLDERS.call(),
            LIST_HOLDERS.on("shares", tables.shares(), "workers", tables.workers()),
            row ->
                new Holder(
                    new ScopeLimits.Key(row.getInt(1), row.getString(2)),
                    row.getLong(3),
                    row.getString(4),
                    row.getInt(5),
                    row.getBoolean(6)),
            CapStore.tenants(keys),
            CapStore.kinds(keys)));
  }

  private static List<Holder> of(List<Holder> holders, ScopeLimits.Key key) {
    return holders.stream().filter(holder -> holder.key.equals(key)).toList();
  }

  private static int held(List<Holder> holders, ScopeLimits.Key key) {
    return of(holders, key).stream().mapToInt(Holder::held).sum();
  }

  private static Reason reason(
      ScopeLimits.Key key, int cap, List<Holder> holders, Subject subject) {
    Scope scope = key.scope(subject);
    int held = holders.stream().mapToInt(Holder::held).sum();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("scope", scope.toString());
    data.put("cap", cap);
    data.put("held", held);
    data.put("holders", holders.stream().map(Holder::data).toList());
    String names = holders.stream().limit(MOST_IN_TEXT).map(Holder::text).collect(joining(", "));
    int more = holders.size() - MOST_IN_TEXT;
    return new Reason(
        Code.CAPPED,
        key.countsAll(subject),
        "the cap of "
            + scope
            + " is used up: "
            + held
            + " of "
            + cap
            + " held by "
            + names
            + (more > 0 ? " and " + ReasonText.count(more, "other worker") : ""),
        data);
  }

  @Override
  public Map<Integer, Set<Code>> heldBack(Session session, Collection<Integer> tenants)
      throws SQLException {
    CapRules caps = rules.read(session).limits().caps();
    if (caps.isEmpty()) {
      return Map.of();
    }
    Map<ScopeLimits.Key, Use> uses = new HashMap<>();
    session.run(
        BoundStatement.query(
            SUM_SHARES.call(),
            SUM_SHARES.on("shares", tables.shares()),
            row ->
                uses.put(
                        new ScopeLimits.Key(row.getInt(1), row.getString(2)),
                        new Use(row.getInt(3), row.getBoolean(4), row.getInt(5)))
                    == null));
    Map<Integer, Set<Code>> held = new HashMap<>();
    for (int tenant : tenants) {
      List<ScopeLimits.Key> keys = new ArrayList<>(caps.wholeOf(tenant));
      caps.kindsOf(tenant).forEach(kind -> keys.add(new ScopeLimits.Key(tenant, kind)));
      if (keys.stream().anyMatch(key -> isUsedUp(key, uses.get(key), caps.capOf(key)))) {
        held.put(tenant, Set.of(Code.CAPPED));
      }
    }
    return held;
  }

  /**
   * Whether tasks wait for a slot. A lone worker that holds all slots asks for no more: what is
   * pending of the whole tenant waits for them.
   */
  private static boolean isUsedUp(ScopeLimits.Key key, @Nullable Use use, int cap) {
    boolean whole = key.kind().isEmpty();
    return use != null && use.held >= cap && (use.wanted || (whole && use.holders == 1));
  }
}
