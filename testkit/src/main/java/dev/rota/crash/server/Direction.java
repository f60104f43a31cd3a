package dev.rota.crash.server;

/** The direction of bytes through a {@link FaultProxy}. */
public enum Direction {
  TO_SERVER,
  TO_CLIENT
}
