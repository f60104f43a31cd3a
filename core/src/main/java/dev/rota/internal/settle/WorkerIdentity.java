package dev.rota.internal.settle;

import java.security.SecureRandom;

/**
 * Under which random number a process is registered as a worker, and how it recognises its row: a
 * number and a token that come again tell nothing after a restore.
 *
 * @param worker its number, never 0, which stands for no worker
 * @param token what the last heartbeat that was confirmed has written
 * @param next what the next heartbeat writes; it may have been written, and the answer lost
 */
record WorkerIdentity(long worker, long token, long next) {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** A new one. */
  static WorkerIdentity draw() {
    long next = positive();
    return new WorkerIdentity(positive(), next, next);
  }

  /** After a heartbeat that was confirmed. */
  WorkerIdentity confirmed() {
    return new WorkerIdentity(worker, next, positive());
  }

  private static long positive() {
    return 1 + (RANDOM.nextLong() >>> 2);
  }
}
