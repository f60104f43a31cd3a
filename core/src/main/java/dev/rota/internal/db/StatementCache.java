package dev.rota.internal.db;

import dev.rota.internal.sql.Sql;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps statements of one connection prepared on the server under Rota's own names. Used by one
 * transaction at a time.
 *
 * <p>A prepared claim takes 84 kB of its backend. So a statement is prepared when it is used for
 * the third time, and only while there is room. The room shrinks with the number of tables that the
 * backend has seen, since it remembers each of them too. With a thousand tenants 250 prepared
 * claims made a backend grow to 45 MB and 90 to 35. 32 leave it below 32, and so do 218 where it
 * has seen 320 tenants. Once a second, statements that were not used lately make room for others
 * that were used three times in that second. Statements in use are never dropped, since preparing
 * costs more than running once. With more busy tenants than places the others are planned each
 * time.
 */
final class StatementCache {

  private static final Sql LOOK_UP_PREPARED_STATEMENTS = Sql.named("look_up_prepared_statements");

  private static final int MOST_PREPARED = 250;
  private static final int FEWEST_PREPARED = 32;

  /**
   * The memory that a backend may use for Rota, in kB: in all, for a prepared claim, for its
   * tables.
   */
  private static final int ROOM = 26_000;

  private static final int OF_A_STATEMENT = 85;
  private static final int OF_TABLES = 23;

  private static final int MOST_KNOWN = 4_000;
  private static final int USES_BEFORE = 2;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long TIDY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String prefix;
  private final Map<String, Entry> entries = new HashMap<>();
  private final BackendMemory caches = new BackendMemory();
  private final List<String> unwanted = new ArrayList<>();
  private int count;
  private int mostKnown;
  private long tidiedAt = System.nanoTime();
  private boolean doubtful;
  private long names;

  /**
   * Creates the cache of a connection.
   *
   * @param prefix the unique prefix of all names
   */
  StatementCache(String prefix) {
    this.prefix = prefix;
  }

  private static final class Entry {
    private @Nullable String name;
    private int uses;
    private long usedAt;
  }

  /**
   * The texts to send to run a statement by its name; the last of them has the result. Empty if the
   * statement is not kept.
   */
  List<String> texts(String numbered, List<@Nullable Object> values) {
    Entry entry = entries.computeIfAbsent(numbered, unused -> new Entry());
    entry.usedAt = System.nanoTime();
    entry.uses++;
    mostKnown = Math.max(mostKnown, entries.size());
    if (entry.name != null) {
      return List.of(execution(entry.name, values));
    }
    if (!isWorthIt(entry)) {
      return List.of();
    }
    String name = prefix + ++names;
    entry.name = name;
    count++;
    return List.of("prepare " + name + " as " + numbered, execution(name, values));
  }

  /** The other memory of the backend. */
  BackendMemory caches() {
    return caches;
  }

  private static String execution(String name, List<@Nullable Object> values) {
    return values.isEmpty()
        ? "execute " + name
        : values.stream()
            .map(StatementCache::literal)
            .collect(Collectors.joining(", ", "execute " + name + " (", ")"));
  }

  private static String literal(@Nullable Object value) {
    if (value instanceof RowId) {
      return "'" + value + "'";
    }
    if (value instanceof Integer || value instanceof Long) {
      return value.toString();
    }
    if (value instanceof int[] numbers) {
      return literal(Arrays.stream(numbers).asLongStream());
    }
    if (value instanceof long[] numbers) {
      return literal(Arrays.stream(numbers));
    }
    throw new IllegalArgumentException("neither a number nor a place: " + value);
  }

  private static String literal(LongStream numbers) {
    return numbers.mapToObj(Long::toString).collect(Collectors.joining(",", "'{", "}'"));
  }

  private boolean isWorthIt(Entry entry) {
    return entry.uses > USES_BEFORE && count < limit();
  }

  /**
   * The number of statements to keep. A backend forgets no table, so every table that it has ever
   * seen counts.
   */
  private int limit() {
    int room = (ROOM - OF_TABLES * mostKnown - caches.kilobytes()) / OF_A_STATEMENT;
    return Math.min(MOST_PREPARED, Math.max(FEWEST_PREPARED, room));
  }

  /** Returns the statements that release memory, to send ahead of all others. */
  List<String> tidyUp() {
    dropSurplus();
    long now = System.nanoTime();
    if (now - tidiedAt > TIDY_NANOS && (count >= limit() || entries.size() > MOST_KNOWN)) {
      tidiedAt = now;
      makeRoom(now);
      entries.values().removeIf(entry -> entry.name == null && now - entry.usedAt > FORGET_NANOS);
    }
    List<String> texts = unwanted.stream().map(name -> "deallocate " + name).toList();
    unwanted.clear();
    return texts;
  }

  /**
   * Drops the statements unused for the longest time when the room has shrunk. This happens at
   * once, since a new worker meets hundreds of tenants in its first second.
   */
  private void dropSurplus() {
    if (count > limit()) {
      entries.values().stream()
          .filter(entry -> entry.name != null)
          .sorted(Comparator.comparingLong(entry -> entry.usedAt))
          .limit(count - limit())
          .forEach(this::drop);
    }
  }

  /**
   * Makes room for the statements that were often run unprepared, by dropping statements that were
   * not run.
   */
  private void makeRoom(long now) {
    long needed = 0;
    for (Entry entry : entries.values()) {
      if (entry.name == null && entry.uses > USES_BEFORE && now - entry.usedAt < IDLE_NANOS) {
        needed++;
      } else {
        entry.uses = 0;
      }
    }
    entries.values().stream()
        .filter(entry -> entry.name != null && now - entry.usedAt > IDLE_NANOS)
        .limit(needed)
        .forEach(this::drop);
  }

  private void drop(Entry entry) {
    unwanted.add(Objects.requireNonNull(entry.name));
    entry.name = null;
    count--;
  }

  /** Marks the state as unknown after a failed flush, which the server may have run in part. */
  void doubt() {
    doubtful = true;
  }

  boolean isDoubtful() {
    return doubtful;
  }

  /** Queries the server for its prepared statements. */
  BoundStatement<List<String>> existing() {
    return BoundStatement.query(LOOK_UP_PREPARED_STATEMENTS, row -> row.getString(1), prefix);
  }

  /** Takes over the server's list of prepared statements. */
  void settle(List<String> existing) {
    Set<String> unknown = new HashSet<>(existing);
    for (Entry entry : entries.values()) {
      if (entry.name != null && !unknown.remove(entry.name)) {
        entry.name = null;
        count--;
      }
    }
    unwanted.clear();
    unwanted.addAll(unknown);
    doubtful = false;
  }
}
