package dev.rota.crash.server;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What a client says on one connection: enough of it to tell what a transaction consists of. */
final class Conversation {

  private static final int REMEMBERED = 64 * 1024;
  private static final String COMMIT = "commit";

  private final Map<String, String> prepared = new ConcurrentHashMap<>();
  private final StringBuilder transaction = new StringBuilder();
  private boolean parsedBegin;

  /** A message of the client; true if it asks to commit. */
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
   * Whether a message is the first one of a BEGIN, told before {@link #isCommitRequest}; used by
   * the thread that reads from the client.
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

  /** The texts of the statements since the last transaction ended, one a line. */
  synchronized String transaction() {
    return transaction.toString();
  }

  /** The server has no transaction open any more. */
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
