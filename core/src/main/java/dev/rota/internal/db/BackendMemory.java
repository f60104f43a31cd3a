package dev.rota.internal.db;

import java.util.HashSet;
import java.util.Set;

/**
 * Estimates the memory that unprepared statements leave in the backend of a connection: the tables
 * it has met by them, which it never forgets. Estimates from memory contexts of PostgreSQL 18. Used
 * by one transaction at a time.
 */
final class BackendMemory {

  /** The bytes of a statement's text, with the tables in it. */
  private static final int OF_A_TEXT = 4_300;

  private static final int OF_A_DEFINITION = 1_300;
  private static final int OF_AN_OPENED_TABLE = 3_400;

  private static final int MOST_KNOWN = 4_000;

  private final Set<Integer> texts = new HashSet<>();
  private int definitions;
  private int openedTables;

  /** Records a statement that was sent unprepared. */
  void sent(String text) {
    if (texts.size() < MOST_KNOWN) {
      texts.add(text.hashCode());
    }
  }

  /** Records the number of statements that define tables or views. */
  void defined(int statements) {
    definitions += statements;
  }

  /** Records how many of all tables of its sort a statement opened, the next ones each time. */
  void opened(int tables, int all) {
    openedTables = Math.max(openedTables, Math.min(openedTables + tables, all));
  }

  /** The estimated memory in kB. */
  int kilobytes() {
    long bytes =
        (long) texts.size() * OF_A_TEXT
            + (long) definitions * OF_A_DEFINITION
            + (long) openedTables * OF_AN_OPENED_TABLE;
    return (int) (bytes / 1_000);
  }
}
