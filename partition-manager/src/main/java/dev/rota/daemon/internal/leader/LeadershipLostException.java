package dev.rota.daemon.internal.leader;

/** The leader's connection is gone, and the leader's lock with it: all work has to stop. */
public final class LeadershipLostException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LeadershipLostException(Exception cause) {
    super(cause.getMessage(), cause);
  }
}
