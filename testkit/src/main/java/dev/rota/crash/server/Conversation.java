package dev.rota.crash.server;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Parses the messages of a client on one connection, far enough to know the statements of a
 * transaction.
 */
final class Conversation {

  private static final int REMEMBERED = 64 * 1024;
  private static final String COMMIT = "commit";

  private final Map<String, String> prepared = new ConcurrentHashMap<>();
  private final StringBuilder transaction = new StringBuilder();
  private boolean parsedBegin;

  /** Adds a message of the client; returns true if it requests a commit. */
  boolean isCommitRequest(Message message) {
    if (message.is('Q')) {
      return said(message.text(0));
    }
    if (message.is('P')) {
      prepared.put(message.text(0), message.text(1));
      return false;
    }
    return message.is('B') && said(prepared.getOrDefault(message.text(1), ""));
  }

  /**
   * Whether a message is the first one of a BEGIN; called before {@link #isCommitRequest} by the
   * thread that reads from the client.
   */
  boolean isBegin(Message message) {
    if (message.is('P')) {
      parsedBegin = BrokenBegin.isBegin(message.text(1));
      return parsedBegin;
    }
    if (message.is('B')) {
      boolean first =
          !parsedBegin && BrokenBegin.isBegin(prepared.getOrDefault(message.text(1), ""));
      parsedBegin = false;
      return first;
    }
    return message.is('Q') && BrokenBegin.isBegin(message.text(0));
  }

  /** The texts of the statements since the last transaction ended, one on each line. */
  synchronized String transaction() {
    return transaction.toString();
  }

  /** Records that the server no longer has an open transaction. */
  synchronized void endTransaction() {
    transaction.setLength(0);
  }

  private synchronized boolean said(String statement) {
    if (transaction.length() < REMEMBERED) {
      transaction.append(statement).append('\n');
    }
    return statement.strip().equalsIgnoreCase(COMMIT);
  }
}
