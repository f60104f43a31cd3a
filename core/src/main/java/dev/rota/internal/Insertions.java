package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.WaitSql;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The statements that store tasks of one tenant: in its ring, or in its wait table if delayed. */
final class Insertions {

  private Insertions() {}

  /** Of one task that is not delayed, in a transaction that reports its counters by itself. */
  static Call<Integer> ofOne(TenantHandle tenant, NewTask task, long id) {
    return Call.update(
        RingSql.ENQUEUE_ONE.call(),
        tenant.enqueueOneSql(tenant.state().currentSlot()),
        id,
        parentOf(task),
        task.kind(),
        task.payload());
  }

  /** Of any number of tasks: one statement, or two if only some of them are delayed. */
  static List<Call<Integer>> of(TenantHandle tenant, List<NewTask> tasks, long[] ids) {
    return of(tenant, tasks, ids, null);
  }

  /**
   * Of any number of tasks, with bits of {@link Traits} for each; keys go with them, but are not
   * looked at.
   */
  static List<Call<Integer>> of(
      TenantHandle tenant, List<NewTask> tasks, long[] ids, int @Nullable [] traits) {
    int[] pending = places(tasks, false);
    int[] delayed = places(tasks, true);
    List<Call<Integer>> calls = new ArrayList<>(2);
    if (pending.length > 0) {
      calls.add(ofPending(tenant, new Columns(tasks, ids, traits, pending)));
    }
    if (delayed.length > 0) {
      calls.add(ofDelayed(tenant, tasks, new Columns(tasks, ids, traits, delayed)));
    }
    return calls;
  }

  /** Whether workers can run any of them now. */
  static boolean arePending(List<NewTask> tasks) {
    for (NewTask task : tasks) {
      if (!isDelayed(task)) {
        return true;
      }
    }
    return false;
  }

  static boolean isDelayed(NewTask task) {
    return task.runAt().isPresent() || task.delay().isPresent();
  }

  private static int[] places(List<NewTask> tasks, boolean delayed) {
    int[] places = new int[tasks.size()];
    int count = 0;
    for (int i = 0; i < places.length; i++) {
      if (isDelayed(tasks.get(i)) == delayed) {
        places[count++] = i;
      }
    }
    return count == places.length ? places : Arrays.copyOf(places, count);
  }

  private static Call<Integer> ofPending(TenantHandle tenant, Columns columns) {
    if (columns.marked) {
      return Call.update(
          RingSql.ENQUEUE_MARKED.call(),
          tenant.enqueueMarkedSql(tenant.state().currentSlot()),
          columns.ids,
          columns.parents,
          columns.kinds,
          columns.payloads,
          columns.keys,
          columns.traits);
    }
    return Call.update(
        RingSql.ENQUEUE.call(),
        tenant.enqueueSql(tenant.state().currentSlot()),
        columns.ids,
        columns.parents,
        columns.kinds,
        columns.payloads);
  }

  private static Call<Integer> ofDelayed(
      TenantHandle tenant, List<NewTask> tasks, Columns columns) {
    int count = columns.places.length;
    boolean[] absolute = new boolean[count];
    long[] micros = new long[count];
    for (int i = 0; i < count; i++) {
      NewTask task = tasks.get(columns.places[i]);
      absolute[i] = task.runAt().isPresent();
      micros[i] =
          task.runAt().map(Insertions::micros).orElseGet(() -> micros(task.delay().orElseThrow()));
    }
    return Call.update(
        WaitSql.ENQUEUE.call(),
        tenant.enqueueDelayedSql(),
        columns.ids,
        absolute,
        micros,
        columns.parents,
        columns.kinds,
        columns.payloads,
        columns.keys,
        columns.traits);
  }

  /** Rounded up, so that nothing runs early. */
  static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000L + (time.getNano() + 999) / 1_000;
  }

  static long micros(Duration delay) {
    return delay.toSeconds() * 1_000_000L + (delay.toNanosPart() + 999) / 1_000;
  }

  static @Nullable Long parentOf(NewTask task) {
    OptionalLong parent = task.parentId();
    return parent.isPresent() ? parent.getAsLong() : null;
  }

  /** What every task has, as arrays. */
  private static final class Columns {
    private final long[] ids;
    private final @Nullable Long[] parents;
    private final String[] kinds;
    private final String[] payloads;
    private final @Nullable String[] keys;
    private final @Nullable Integer[] traits;
    private final int[] places;
    private boolean marked;

    Columns(List<NewTask> tasks, long[] allIds, int @Nullable [] allTraits, int[] places) {
      this.places = places;
      int count = places.length;
      ids = new long[count];
      parents = new Long[count];
      kinds = new String[count];
      payloads = new String[count];
      keys = new String[count];
      traits = new Integer[count];
      for (int i = 0; i < count; i++) {
        NewTask task = tasks.get(places[i]);
        ids[i] = allIds[places[i]];
        parents[i] = parentOf(task);
        kinds[i] = task.kind();
        payloads[i] = task.payload();
        keys[i] = task.key().map(TaskKey::text).orElse(null);
        traits[i] = allTraits == null || allTraits[places[i]] == 0 ? null : allTraits[places[i]];
        marked |= keys[i] != null || traits[i] != null;
      }
    }
  }
}
