package dev.rota.internal.worker;

import dev.rota.internal.tenant.TenantRef;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Name;

/**
 * The watched slots of all tenants by the numbers of their tables, with the last values of their
 * insert counters. A number identifies a physical table: a restored dump has the same names under
 * other numbers. Used by one thread.
 */
final class WatchedSlots {

  /** A value that no counter has. */
  static final long UNSEEN = -1;

  private final Map<Long, Watched> byTable = new HashMap<>();
  private long[] oids = new long[0];
  private long[] seen = new long[0];

  /** A slot of a tenant. */
  record Slot(TenantRef tenant, int number) {

    int bit() {
      return 1 << number;
    }

    Name table() {
      return tenant.tables().slot(number);
    }
  }

  private record Watched(Slot slot, int index) {}

  /** The numbers of all tables, in a fixed order. */
  long[] tables() {
    return oids;
  }

  /** The last values of their counters, in the same order. */
  long[] counters() {
    return seen;
  }

  /** Returns the names of these tables, in this order. */
  List<Name> names(long[] tables) {
    return Arrays.stream(tables).mapToObj(table -> slot(table).table()).toList();
  }

  /** Whether a table is watched. */
  boolean has(long table) {
    return byTable.containsKey(table);
  }

  /** Returns the slot of a watched table. */
  Slot slot(long table) {
    return find(table).slot();
  }

  /** Stores a counter; returns its previous value. */
  long count(long table, long count) {
    int index = find(table).index();
    long before = seen[index];
    seen[index] = count;
    return before;
  }

  /** Adds slots, none of which is watched yet. */
  void add(Map<Long, Slot> added) {
    int index = oids.length;
    oids = Arrays.copyOf(oids, index + added.size());
    seen = Arrays.copyOf(seen, index + added.size());
    for (Map.Entry<Long, Slot> each : added.entrySet()) {
      oids[index] = each.getKey();
      seen[index] = UNSEEN;
      byTable.put(each.getKey(), new Watched(each.getValue(), index++));
    }
  }

  /** Removes tables. */
  void remove(Collection<Long> tables) {
    if (byTable.keySet().removeAll(Set.copyOf(tables))) {
      close();
    }
  }

  /** Keeps only the tables of these tenants. */
  void forgetAllBut(Set<Integer> tenants) {
    if (byTable.values().removeIf(each -> !tenants.contains(each.slot().tenant().number()))) {
      close();
    }
  }

  /** Closes the gaps of removed tables. */
  private void close() {
    long[] kept = Arrays.stream(oids).filter(byTable::containsKey).toArray();
    long[] counts = new long[kept.length];
    for (int i = 0; i < kept.length; i++) {
      Watched old = find(kept[i]);
      counts[i] = seen[old.index()];
      byTable.put(kept[i], new Watched(old.slot(), i));
    }
    oids = kept;
    seen = counts;
  }

  private Watched find(long table) {
    Watched watched = byTable.get(table);
    if (watched == null) {
      throw new IllegalStateException("table " + table + " was not asked for");
    }
    return watched;
  }
}
