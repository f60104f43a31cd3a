package dev.rota.daemon.internal.leader;

import dev.rota.internal.maintenance.LeadershipEndedException;

/** The leader's connection is gone, and the leader's lock with it: all work has to stop. */
public final class LeadershipLostException extends LeadershipEndedException {

  private static final long serialVersionUID = 1L;

  LeadershipLostException(Exception cause) {
    super(cause.getMessage(), cause, true);
  }
}
