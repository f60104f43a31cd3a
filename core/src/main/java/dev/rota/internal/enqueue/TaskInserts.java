package dev.rota.internal.enqueue;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The statements that store tasks of one tenant: in its ring, or in its wait table if delayed. */
public final class TaskInserts {

  private static final Sql ENQUEUE = Sql.named("enqueue");
  private static final Sql ENQUEUE_OF_ONE_KIND = Sql.named("enqueue_of_one_kind");
  private static final Sql ENQUEUE_MARKED = Sql.named("enqueue_marked");
  private static final Sql ENQUEUE_ONE = Sql.named("enqueue_one");
  private static final Sql ENQUEUE_DELAYED = Sql.named("enqueue_delayed");

  /**
   * The number of tasks in one statement. Larger statements gain nothing and need more memory on
   * both sides.
   */
  static final int CHUNK = 5_000;

  static final int CHUNK_CHARACTERS = 8 << 20;

  private TaskInserts() {}

  /**
   * Cuts tasks into chunks, each for one statement. The driver holds several copies of the data
   * that it sends.
   *
   * @param taskOf the task of an element
   */
  public static <T> List<List<T>> chunks(List<T> all, Function<T, NewTask> taskOf) {
    return chunksBySize(all, one -> taskOf.apply(one).payload().length());
  }

  /**
   * Cuts rows into chunks by the same bounds.
   *
   * @param characters the number of characters of an element
   */
  public static <T> List<List<T>> chunksBySize(List<T> all, ToIntFunction<T> characters) {
    List<List<T>> chunks = new ArrayList<>();
    int to;
    for (int from = 0; from < all.size(); from = to) {
      long sum = 0;
      to = from;
      while (to < all.size() && to - from < CHUNK && sum < CHUNK_CHARACTERS) {
        sum += characters.applyAsInt(all.get(to++));
      }
      chunks.add(all.subList(from, to));
    }
    return chunks;
  }

  /** The text of the operation in messages. */
  public static String purpose(TenantRef tenant) {
    return "enqueue for " + tenant.label();
  }

  /** Whether {@link #ofOne} can store a task. */
  static boolean isSimple(TenantRef tenant, NewTask task) {
    return !waits(tenant.state().lanes(), task) && task.parentId().isEmpty();
  }

  /**
   * Whether a task goes into the wait table: a delayed one, and one that the slots cannot hold yet.
   * The daemon makes them wide and promotes it.
   */
  private static boolean waits(PriorityLanes lanes, NewTask task) {
    return isDelayed(task) || !lanes.fit(task);
  }

  /** Stores one simple task, in a transaction that reports its counters by itself. */
  static BoundStatement<Integer> ofOne(TenantRef tenant, NewTask task, long id) {
    return BoundStatement.storing(
        1,
        tenant.label(),
        ENQUEUE_ONE.call(),
        tenant.statements().onSlot(ENQUEUE_ONE, laneOf(tenant, task).currentSlot()),
        id,
        task.kind(),
        textOf(task));
  }

  /** The text that stands in the column of the payload. */
  private static String textOf(NewTask task) {
    return task.headers().isEmpty() ? task.payload() : StoredText.of(task);
  }

  /** Stores any number of tasks: by one statement, or two if only some of them are delayed. */
  public static List<BoundStatement<Integer>> of(
      TenantRef tenant, List<NewTask> tasks, long[] ids) {
    return of(tenant, tasks, ids, null);
  }

  /**
   * Stores any number of tasks, with bits of {@link TaskFlags} for each; keys are stored, but not
   * checked.
   */
  public static List<BoundStatement<Integer>> of(
      TenantRef tenant, List<NewTask> tasks, long[] ids, int @Nullable [] traits) {
    // Read once: a task must not be in both lists, nor in none.
    PriorityLanes lanes = tenant.state().lanes();
    int[] pending = places(lanes, tasks, false);
    int[] delayed = places(lanes, tasks, true);
    List<BoundStatement<Integer>> calls = new ArrayList<>(2);
    for (int[] ofLane : byPriority(tasks, pending)) {
      int slot = laneOf(tenant, tasks.get(ofLane[0])).currentSlot();
      calls.add(ofPending(tenant, slot, new Columns(tasks, ids, traits, ofLane)));
    }
    if (delayed.length > 0) {
      calls.add(ofDelayed(tenant, tasks, new Columns(tasks, ids, traits, delayed)));
    }
    return calls;
  }

  /**
   * The lane of a task; {@link LaneCreator} created it. Lane 0 takes the task if the lane was lost
   * meanwhile with a history of the server, which costs order only.
   */
  private static Lane laneOf(TenantRef tenant, NewTask task) {
    PriorityLanes lanes = tenant.state().lanes();
    return lanes.find(task.priority()).orElseGet(() -> lanes.get(0));
  }

  /** The lane of a task in the form of the column: null for the default lane. */
  public static @Nullable Short laneColumn(TenantRef tenant, NewTask task) {
    int lane = task.priority() == 0 ? 0 : laneOf(tenant, task).number();
    return lane == 0 ? null : Short.valueOf((short) lane);
  }

  /** Groups tasks by priority. Most often there is one group, of tasks without a priority. */
  private static Collection<int[]> byPriority(List<NewTask> tasks, int[] places) {
    if (places.length == 0) {
      return List.of();
    }
    int first = tasks.get(places[0]).priority();
    if (Arrays.stream(places).allMatch(place -> tasks.get(place).priority() == first)) {
      return List.of(places);
    }
    return Arrays.stream(places)
        .boxed()
        .collect(groupingBy(place -> tasks.get(place).priority(), TreeMap::new, toList()))
        .values()
        .stream()
        .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
        .toList();
  }

  /** Whether workers can run any of the tasks now. */
  static boolean arePending(List<NewTask> tasks) {
    for (NewTask task : tasks) {
      if (!isDelayed(task)) {
        return true;
      }
    }
    return false;
  }

  public static boolean isDelayed(NewTask task) {
    return task.runAt().isPresent() || task.delay().isPresent();
  }

  public static boolean hasKey(NewTask task) {
    return task.key().isPresent();
  }

  private static int[] places(PriorityLanes lanes, List<NewTask> tasks, boolean delayed) {
    int[] places = new int[tasks.size()];
    int count = 0;
    for (int i = 0; i < places.length; i++) {
      if (waits(lanes, tasks.get(i)) == delayed) {
        places[count++] = i;
      }
    }
    return count == places.length ? places : Arrays.copyOf(places, count);
  }

  private static BoundStatement<Integer> ofPending(TenantRef tenant, int slot, Columns columns) {
    if (columns.marked) {
      return BoundStatement.storing(
          columns.ids.length,
          tenant.label(),
          ENQUEUE_MARKED.call(),
          tenant.statements().onSlot(ENQUEUE_MARKED, slot),
          columns.ids,
          columns.parents,
          columns.kinds,
          columns.payloads,
          columns.keys,
          columns.traits);
    }
    if (columns.isOfOneKind()) {
      return BoundStatement.storing(
          columns.ids.length,
          tenant.label(),
          ENQUEUE_OF_ONE_KIND.call(),
          tenant.statements().onSlot(ENQUEUE_OF_ONE_KIND, slot),
          columns.kinds[0],
          columns.ids,
          columns.payloads);
    }
    return BoundStatement.storing(
        columns.ids.length,
        tenant.label(),
        ENQUEUE.call(),
        tenant.statements().onSlot(ENQUEUE, slot),
        columns.ids,
        columns.parents,
        columns.kinds,
        columns.payloads);
  }

  private static BoundStatement<Integer> ofDelayed(
      TenantRef tenant, List<NewTask> tasks, Columns columns) {
    int count = columns.places.length;
    boolean[] absolute = new boolean[count];
    long[] micros = new long[count];
    @Nullable Short[] lanes = new Short[count];
    for (int i = 0; i < count; i++) {
      NewTask task = tasks.get(columns.places[i]);
      absolute[i] = task.runAt().isPresent();
      micros[i] =
          task.runAt()
              .map(TaskInserts::micros)
              .orElseGet(() -> micros(task.delay().orElse(Duration.ZERO)));
      lanes[i] = laneColumn(tenant, task);
    }
    return BoundStatement.storing(
        count,
        tenant.label(),
        ENQUEUE_DELAYED.call(),
        tenant.statements().of(ENQUEUE_DELAYED),
        columns.ids,
        absolute,
        micros,
        columns.parents,
        columns.kinds,
        columns.payloads,
        columns.keys,
        columns.traits,
        lanes);
  }

  /** Converts a time to microseconds, rounded up so that no task runs early. */
  public static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000L + (time.getNano() + 999) / 1_000;
  }

  public static long micros(Duration delay) {
    return delay.toSeconds() * 1_000_000L + (delay.toNanosPart() + 999) / 1_000;
  }

  public static @Nullable Long parentOf(NewTask task) {
    OptionalLong parent = task.parentId();
    return parent.isPresent() ? parent.getAsLong() : null;
  }

  /** The columns of all tasks as arrays. */
  private static final class Columns {
    private final long[] ids;
    private final @Nullable Long[] parents;
    private final String[] kinds;
    private final String[] payloads;
    private final @Nullable String[] keys;
    private final @Nullable Integer[] traits;
    private final int[] places;
    private boolean marked;
    private boolean parented;

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
        payloads[i] = textOf(task);
        keys[i] = task.key().map(TaskKey::text).orElse(null);
        traits[i] = allTraits == null || allTraits[places[i]] == 0 ? null : allTraits[places[i]];
        marked |= keys[i] != null || traits[i] != null;
        parented |= parents[i] != null;
      }
    }

    /** Whether the tasks differ in their payloads alone. */
    boolean isOfOneKind() {
      return !marked && !parented && Arrays.stream(kinds).allMatch(kinds[0]::equals);
    }
  }
}
