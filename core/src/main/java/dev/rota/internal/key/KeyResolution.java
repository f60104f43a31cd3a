package dev.rota.internal.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rota.DatabaseException;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stores one list of tasks with keys, in one transaction. */
final class KeyResolution {

  private static final Sql FREE_EXPIRED_KEYS = Sql.named("free_expired_keys");
  private static final Sql TAKE_KEYS = Sql.named("take_keys");
  private static final Sql RENEW_KEYS = Sql.named("renew_keys");
  private static final Sql FIND_KEYS = Sql.named("find_keys");
  private static final Sql WAKE_KEYS = Sql.named("wake_keys");

  /**
   * The most tries. A key is found taken, and then free when it is looked up, only if its task
   * ended in between.
   */
  private static final int TRIES = 20;

  /** The order in which PostgreSQL takes the keys of one statement: that of their bytes. */
  private static final Comparator<Wish> AS_TAKEN =
      Comparator.comparing(wish -> textOf(wish.task).getBytes(UTF_8), Arrays::compareUnsigned);

  private final Session session;
  private final TenantRef tenant;
  private final List<NewTask> tasks;
  private final Map<String, Wish> wishes = new HashMap<>();

  KeyResolution(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids) {
    this.session = session;
    this.tenant = tenant;
    this.tasks = tasks;
    for (int i = 0; i < ids.length; i++) {
      wishes.merge(textOf(tasks.get(i)), new Wish(tasks.get(i), ids[i]), Wish::better);
    }
  }

  /** A request for one key. */
  private static final class Wish {
    private final NewTask task;
    private long id;
    private boolean settled;
    private boolean added;
    private boolean renewed;

    Wish(NewTask task, long id) {
      this.task = task;
      this.id = id;
    }

    /** Chooses between two tasks with one key: the first, or the one with the newest version. */
    Wish better(Wish later) {
      return later.version() > version() ? later : this;
    }

    TaskKey key() {
      return task.key().orElseThrow();
    }

    private long version() {
      return key().version().orElse(Long.MIN_VALUE);
    }
  }

  private static String textOf(NewTask task) {
    return task.key().orElseThrow().text();
  }

  private Wish wish(String key) {
    return Objects.requireNonNull(wishes.get(key), "no request for this key");
  }

  /** The id of each task, which is that of an earlier task if that has the key. */
  long[] ids() {
    return tasks.stream().mapToLong(task -> wish(textOf(task)).id).toArray();
  }

  /** Determines which tasks are new. */
  void settleKeys() throws SQLException {
    List<Wish> open = new ArrayList<>(wishes.values());
    open.sort(AS_TAKEN);
    for (int attempt = 0; !open.isEmpty(); attempt++) {
      if (attempt == TRIES) {
        throw new DatabaseException(
            TaskInserts.purpose(tenant)
                + ": key '"
                + SafeText.whole(open.get(0).key().text())
                + "' is taken and freed all the time; try again",
            new IllegalStateException("taken and not found " + TRIES + " times"),
            false,
            false);
      }
      look(open);
      open.removeIf(wish -> wish.settled);
    }
  }

  /**
   * Looks for the tasks that have the keys, chunk by chunk. Each step goes through all chunks
   * before the next step begins. So all transactions lock keys in one order, however they are cut.
   */
  private void look(List<Wish> open) throws SQLException {
    List<List<Wish>> chunks = chunks(open);
    List<List<Wish>> versioned =
        chunks(open.stream().filter(wish -> wish.key().version().isPresent()).toList());
    List<BoundStatement<List<Found>>> calls = new ArrayList<>();
    chunks.forEach(chunk -> calls.add(take(chunk)));
    versioned.forEach(chunk -> calls.add(renew(chunk)));
    chunks.forEach(chunk -> calls.add(query(FIND_KEYS, (Object) texts(chunk))));
    free(chunks);
    List<List<Found>> results = session.runInRounds(calls);
    int renewals = chunks.size();
    int finds = renewals + versioned.size();
    results.subList(0, renewals).forEach(rows -> note(rows, wish -> wish.added = true));
    results.subList(renewals, finds).forEach(rows -> note(rows, wish -> wish.renewed = true));
    results.subList(finds, results.size()).forEach(this::find);
  }

  private static List<List<Wish>> chunks(List<Wish> some) {
    return TaskInserts.chunks(some, wish -> wish.task);
  }

  private void free(List<List<Wish>> chunks) throws SQLException {
    for (List<Wish> chunk : chunks) {
      session.prepend(
          BoundStatement.update(
              FREE_EXPIRED_KEYS.call(),
              tenant.statements().of(FREE_EXPIRED_KEYS),
              (Object) texts(chunk)));
    }
  }

  /** Notes keys that this transaction has taken or renewed: their rows tell which task has them. */
  private void note(List<Found> rows, Consumer<Wish> note) {
    for (Found row : rows) {
      Wish wish = settle(row);
      note.accept(wish);
      wish.added |= row.isNew;
    }
  }

  /**
   * Notes which tasks have the other keys. A caller's REPEATABLE READ still sees a row that was
   * deleted since its snapshot, beside the one that an earlier enqueue of this transaction took.
   */
  private void find(List<Found> rows) {
    List<Found> others = rows.stream().filter(row -> !wish(row.key).settled).toList();
    for (Found row : others) {
      if (wish(row.key).settled) {
        throw freedMeanwhile(row.key);
      }
      Wish unused = settle(row);
    }
  }

  private Wish settle(Found found) {
    Wish wish = wish(found.key);
    refuseOtherKind(wish, found);
    wish.id = found.task;
    wish.settled = true;
    return wish;
  }

  private DatabaseException freedMeanwhile(String key) {
    String message =
        ("%s: key '%s' was freed after the snapshot of your transaction, which then took it; roll"
                + " back and repeat the transaction")
            .formatted(TaskInserts.purpose(tenant), SafeText.whole(key));
    return new DatabaseException(
        message, new SQLException(message, SqlErrors.NOT_SERIALIZABLE), false, false);
  }

  /**
   * Refuses another kind: a pending task cannot change its kind, because workers claim it by its
   * kind.
   */
  private void refuseOtherKind(Wish wish, Found found) {
    if (found.kind != null
        && wish.key().version().isPresent()
        && !found.kind.equals(wish.task.kind())) {
      throw new InvalidTaskException(
          "key '%s' of %s belongs to a task of kind %s, not %s; use another key for each kind"
              .formatted(wish.key(), tenant.label(), found.kind, wish.task.kind()),
          "key",
          -1);
    }
  }

  private BoundStatement<List<Found>> take(List<Wish> open) {
    int count = open.size();
    long[] ids = new long[count];
    @Nullable Long[] kept = new Long[count];
    @Nullable Long[] versions = new Long[count];
    @Nullable String[] kinds = new String[count];
    for (int i = 0; i < count; i++) {
      Wish wish = open.get(i);
      TaskKey key = wish.key();
      ids[i] = wish.id;
      kept[i] = key.period().map(period -> period.toNanos() / 1_000).orElse(null);
      versions[i] = key.version().isPresent() ? key.version().getAsLong() : null;
      kinds[i] = versions[i] == null ? null : wish.task.kind();
    }
    return query(TAKE_KEYS, texts(open), ids, kept, versions, kinds, lanes(open));
  }

  private BoundStatement<List<Found>> renew(List<Wish> versioned) {
    return query(
        RENEW_KEYS,
        texts(versioned),
        versioned.stream().mapToLong(wish -> wish.key().version().getAsLong()).toArray(),
        versioned.stream().map(wish -> wish.task.kind()).toArray(String[]::new),
        versioned.stream().map(wish -> StoredText.of(wish.task)).toArray(String[]::new),
        lanes(versioned));
  }

  /** Stores the new tasks, and wakes tasks that wait for a retry and have a newer version. */
  void insertTasks() throws SQLException {
    List<Wish> added = new ArrayList<>();
    List<Wish> woken = new ArrayList<>();
    for (Wish wish : wishes.values()) {
      if (wish.added) {
        added.add(wish);
      } else if (wish.renewed && !TaskInserts.isDelayed(wish.task)) {
        woken.add(wish);
      }
    }
    List<BoundStatement<Integer>> calls = new ArrayList<>();
    for (List<Wish> chunk : chunks(added)) {
      runAndClear(calls);
      calls.addAll(insertions(chunk));
    }
    if (!woken.isEmpty()) {
      calls.add(wake(woken));
    }
    runAndClear(calls);
  }

  private void runAndClear(List<BoundStatement<Integer>> calls) throws SQLException {
    if (!calls.isEmpty()) {
      session.runAll(calls);
      calls.clear();
    }
  }

  private BoundStatement<Integer> wake(List<Wish> woken) {
    return BoundStatement.counting(
        WAKE_KEYS.call(),
        WAKE_KEYS.on(
            Map.of(
                "waiting", tenant.tables().waiting(), "insertions", IntoLanes.insertions(tenant))),
        (Object) texts(woken));
  }

  private List<BoundStatement<Integer>> insertions(List<Wish> added) {
    return TaskInserts.of(
        tenant,
        added.stream().map(wish -> wish.task).toList(),
        added.stream().mapToLong(wish -> wish.id).toArray(),
        added.stream().mapToInt(wish -> traits(wish.key())).toArray());
  }

  private static int traits(TaskKey key) {
    if (key.version().isPresent()) {
      return TaskFlags.VERSIONED;
    }
    return key.period().isPresent() ? TaskFlags.KEY_KEPT : 0;
  }

  private @Nullable Short[] lanes(List<Wish> some) {
    return some.stream()
        .map(wish -> TaskInserts.laneColumn(tenant, wish.task))
        .toArray(Short[]::new);
  }

  private static String[] texts(List<Wish> wishes) {
    return wishes.stream().map(wish -> wish.key().text()).toArray(String[]::new);
  }

  private BoundStatement<List<Found>> query(Sql template, @Nullable Object... binds) {
    return BoundStatement.query(
        template.call(), tenant.statements().of(template), Found::read, binds);
  }

  /**
   * A key with the task that has it, the kind of a task with versions, and whether the task is new.
   */
  private record Found(String key, long task, @Nullable String kind, boolean isNew) {
    static Found read(ResultSet row) throws SQLException {
      return new Found(row.getString(1), row.getLong(2), row.getString(3), row.getBoolean(4));
    }
  }
}
