package dev.rota.crash.server;

/** A moment of the conversation with the server at which a {@link FaultProxy} can cut it. */
public enum CutPoint {
  /** The request to commit has come from the client; the server does not get it. */
  COMMIT_REQUEST,
  /** The server says that it has committed; the client does not get that. */
  COMMIT_ANSWER,
  /**
   * The server is ready again, with no transaction open; the client does not get that. This is the
   * answer to a COMMIT as well as to a statement in auto-commit mode.
   */
  READY
}
