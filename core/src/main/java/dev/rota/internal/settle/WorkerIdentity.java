package dev.rota.internal.settle;

import java.security.SecureRandom;

/**
 * The random number under which a process is registered as a worker, and the tokens by which it
 * recognises its row. A number and a token that occur again prove nothing after a restore.
 *
 * @param worker its number, never 0, which means no worker
 * @param token the token of the last confirmed heartbeat
 * @param next the token of the next heartbeat; it may have been written, and the answer lost
 */
record WorkerIdentity(long worker, long token, long next) {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** Draws a new identity. */
  static WorkerIdentity draw() {
    long next = positive();
    return new WorkerIdentity(positive(), next, next);
  }

  /** Returns the identity after a confirmed heartbeat. */
  WorkerIdentity confirmed() {
    return new WorkerIdentity(worker, next, positive());
  }

  private static long positive() {
    return 1 + (RANDOM.nextLong() >>> 2);
  }
}
