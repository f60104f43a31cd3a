package dev.rota.crash.server;

/** A moment of the conversation with the server at which a {@link FaultProxy} can cut it. */
public enum CutPoint {
  /** The client has sent the request to commit; the server does not get it. */
  COMMIT_REQUEST,
  /** The server reports the commit; the client does not get the answer. */
  COMMIT_ANSWER,
  /**
   * The server is ready again, without an open transaction; the client does not get that message.
   * This is the answer to a COMMIT as well as to a statement in auto-commit mode.
   */
  READY
}
