package dev.rota.internal.db;

import java.util.HashSet;
import java.util.Set;

/**
 * What statements that we do not keep prepared leave in the memory of a connection's backend: the
 * tables it has met by them, which it never forgets. Estimates from memory contexts of 18. Used by
 * one transaction at a time.
 */
final class BackendMemory {

  /** In bytes, with the tables that it is about. */
  private static final int OF_A_TEXT = 4_300;

  private static final int OF_A_DEFINITION = 1_300;
  private static final int OF_AN_OPENED_TABLE = 3_400;

  private static final int MOST_KNOWN = 4_000;

  private final Set<Integer> texts = new HashSet<>();
  private int definitions;
  private int openedTables;

  /** A statement was sent as it is. */
  void sent(String text) {
    if (texts.size() < MOST_KNOWN) {
      texts.add(text.hashCode());
    }
  }

  /** So many statements were sent that define tables or views. */
  void defined(int statements) {
    definitions += statements;
  }

  /** A statement opened so many of all tables of its sort, the next ones each time. */
  void opened(int tables, int all) {
    openedTables = Math.max(openedTables, Math.min(openedTables + tables, all));
  }

  /** How much the backend keeps of them, in kB. */
  int kilobytes() {
    long bytes =
        (long) texts.size() * OF_A_TEXT
            + (long) definitions * OF_A_DEFINITION
            + (long) openedTables * OF_AN_OPENED_TABLE;
    return (int) (bytes / 1_000);
  }
}
