package dev.rota.internal;

import dev.rota.internal.db.RepeatedSql;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import dev.rota.internal.text.Shown;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jooq.impl.DSL;

/**
 * One tenant in memory: its state, refreshed by the registry, and its statements, each rendered
 * once. Thread-safe.
 */
public final class TenantHandle {

  static final Sql MARK = Sql.named("mark");

  private static final int STATEMENTS_KEPT = 64;

  private final TenantTables tables;
  private final Map<Key, String> statements = new ConcurrentHashMap<>();
  private final Map<ClaimKey, RepeatedSql> claims = new ConcurrentHashMap<>();
  private volatile TenantState state;

  TenantHandle(TenantTables tables, TenantState state) {
    this.tables = tables;
    this.state = state;
  }

  public TenantState state() {
    return state;
  }

  /** Somebody may have read it before he could see a lane that is known here. */
  synchronized void update(TenantState newState) {
    state = newState.knowing(state.lanes());
  }

  public TenantTables tables() {
    return tables;
  }

  public int number() {
    return tables.number();
  }

  /** How error messages name the tenant. */
  public String label() {
    return "tenant '" + Shown.whole(state.name()) + "' (" + number() + ")";
  }

  String enqueueSql(int slot) {
    return rendered(
        new Key(Insertions.ENQUEUE, slot, 0),
        () -> Insertions.ENQUEUE.on("slot", tables.slot(slot)));
  }

  /** A statement on the tenant's table of keys. */
  String sql(Sql template) {
    return rendered(new Key(template, 0, 0), () -> template.on("keys", tables.keys()));
  }

  String enqueueMarkedSql(int slot) {
    return rendered(
        new Key(Insertions.ENQUEUE_MARKED, slot, 0),
        () -> Insertions.ENQUEUE_MARKED.on("slot", tables.slot(slot)));
  }

  String enqueueOneSql(int slot) {
    return rendered(
        new Key(Insertions.ENQUEUE_ONE, slot, 0),
        () -> Insertions.ENQUEUE_ONE.on("slot", tables.slot(slot)));
  }

  String enqueueDelayedSql() {
    return rendered(
        new Key(Insertions.ENQUEUE_DELAYED, 0, 0),
        () -> Insertions.ENQUEUE_DELAYED.on("waiting", tables.waiting()));
  }

  RepeatedSql claimSql(Claimer.Terms terms, boolean weighed, int slot, int segment) {
    return kept(
        claims,
        new ClaimKey(terms, weighed, slot, segment),
        () ->
            terms.statement(
                Map.of(
                    "slot", tables.slot(slot),
                    "segment", tables.segment(segment),
                    "tenant", DSL.inline(tables.number())),
                weighed,
                Lanes.of(slot)));
  }

  String unknownKindSql(int slot) {
    return rendered(
        new Key(UnknownKinds.LOOK_FOR_UNKNOWN_KINDS, slot, 0),
        () -> UnknownKinds.LOOK_FOR_UNKNOWN_KINDS.on("slot", tables.slot(slot)));
  }

  String markSql(int segment) {
    return rendered(new Key(MARK, 0, segment), () -> MARK.on("segment", tables.segment(segment)));
  }

  /** Of a statement that takes tasks of a segment into the wait table. */
  String intoWaiting(Sql template, int segment) {
    return rendered(
        new Key(template, 0, segment),
        () -> template.on("segment", tables.segment(segment), "waiting", tables.waiting()));
  }

  /** Of a statement that takes tasks of a segment into the ring. */
  String intoRing(Sql template, int segment, int slot) {
    return rendered(
        new Key(template, slot, segment),
        () -> template.on("segment", tables.segment(segment), "slot", tables.slot(slot)));
  }

  private String rendered(Key key, Supplier<String> rendering) {
    return kept(statements, key, rendering);
  }

  /** Segments come and go, so that what was rendered for old ones is thrown away now and then. */
  private <K, V> V kept(Map<K, V> statements, K key, Supplier<V> rendering) {
    if (statements.size() > STATEMENTS_KEPT * state.lanes().count()) {
      statements.clear();
    }
    return statements.computeIfAbsent(key, unused -> rendering.get());
  }

  private record ClaimKey(Claimer.Terms terms, boolean weighed, int slot, int segment) {}

  private record Key(Sql template, int slot, int segment) {}
}
