package dev.rota.internal.db;

import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps statements of one connection prepared, within the memory that its backend may hold. Used by
 * one transaction at a time.
 *
 * <p>A statement is kept when it runs for the second time. Where there is no room, it takes the
 * place of the one unused for the longest time, but never of one in use: with more busy tenants
 * than places, all would be prepared anew and run once.
 *
 * <p>A backend also remembers every table that it has met, and never forgets one. So the room
 * shrinks with the statements that it has seen. Memory contexts of PostgreSQL 18 show 84 kB for a
 * kept claim of 1,000 characters, and 23 kB more for its tables.
 *
 * @param <S> a prepared statement
 */
final class StatementCache<S> {

  /** The memory that a backend may use for Rota, in bytes. */
  private static final long ROOM = 25_000_000;

  private static final int OF_A_KEPT_ONE = 4_000;
  private static final int OF_A_KEPT_CHARACTER = 80;
  private static final int OF_A_SEEN_CHARACTER = 23;
  private static final int OF_A_DEFINITION = 1_300;
  private static final int OF_AN_OPENED_TABLE = 3_400;

  /** So many are kept whatever the backend remembers. */
  private static final int FEWEST = 32;

  private static final int MOST_SEEN = 4_000;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Preparation<S> preparation;
  private final Consumer<S> close;
  private final Map<String, Kept<S>> kept = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Boolean> seen = new LinkedHashMap<>(16, 0.75f, true);
  private long keptBytes;
  private long seenBytes;
  private int openedTables;

  /**
   * Creates the cache of a connection.
   *
   * @param preparation creates a statement that is kept from now on
   * @param close releases a statement that is no longer kept
   */
  StatementCache(Preparation<S> preparation, Consumer<S> close) {
    this.preparation = preparation;
    this.close = close;
  }

  /** Creates the statement of a text. */
  @FunctionalInterface
  interface Preparation<S> {
    S prepare(String text) throws SQLException;
  }

  private static final class Kept<S> {
    private final S statement;
    private long usedAt;

    Kept(S statement) {
      this.statement = statement;
    }
  }

  /** Returns the kept statement of a text; null if it runs unprepared this time. */
  @Nullable S get(String text) throws SQLException {
    long now = System.nanoTime();
    Kept<S> known = kept.get(text);
    if (known == null) {
      if (isFirst(text) || !makeRoom(bytes(text), now)) {
        return null;
      }
      known = new Kept<>(preparation.prepare(text));
      kept.put(text, known);
      keptBytes += bytes(text);
    }
    known.usedAt = now;
    return known.statement;
  }

  private static int bytes(String text) {
    return OF_A_KEPT_ONE + OF_A_KEPT_CHARACTER * text.length();
  }

  private boolean isFirst(String text) {
    if (seen.put(text, true) != null) {
      return false;
    }
    // What has no values is a command or defines something, which is counted there.
    seenBytes += text.indexOf('?') < 0 ? 0 : (long) OF_A_SEEN_CHARACTER * text.length();
    if (seen.size() > MOST_SEEN) {
      seen.remove(seen.keySet().iterator().next());
    }
    return true;
  }

  /** Records statements that define tables or views, and are never kept. */
  void defined(int statements) {
    seenBytes += (long) OF_A_DEFINITION * statements;
  }

  /** Records how many of all tables of its sort a statement opened, the next ones each time. */
  void opened(int tables, int all) {
    openedTables = Math.max(openedTables, Math.min(openedTables + tables, all));
  }

  /** Drops statements that no longer have room; called before those of a flush are looked up. */
  void tidyUp() {
    while (kept.size() > FEWEST && !hasRoom(0)) {
      drop();
    }
  }

  private boolean makeRoom(int bytes, long now) {
    while (kept.size() >= FEWEST && !hasRoom(bytes)) {
      if (now - kept.values().iterator().next().usedAt < IDLE_NANOS) {
        return false;
      }
      drop();
    }
    return true;
  }

  private boolean hasRoom(int bytes) {
    long others = seenBytes + (long) openedTables * OF_AN_OPENED_TABLE;
    return keptBytes + bytes + others <= ROOM;
  }

  /** Drops the statement that is unused for the longest time. */
  private void drop() {
    Iterator<Map.Entry<String, Kept<S>>> oldest = kept.entrySet().iterator();
    Map.Entry<String, Kept<S>> entry = oldest.next();
    oldest.remove();
    keptBytes -= bytes(entry.getKey());
    close.accept(entry.getValue().statement);
  }
}
