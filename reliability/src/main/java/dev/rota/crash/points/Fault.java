package dev.rota.crash.points;

/** The ways to break a round trip to the database. */
enum Fault {
  /** The BEGIN that travels with it fails, and nothing else that the server could refuse. */
  BEGIN_FAILS,
  /** The server refuses it, and the connection lives. */
  REFUSED,
  /** The server refuses it, and the connection breaks when the transaction is rolled back. */
  REFUSED_THEN_CUT,
  /** The connection breaks before it is sent. */
  CUT_BEFORE,
  /** The connection breaks after it took effect: its answer is lost. */
  CUT_AFTER,
  /** The server process is terminated before it is sent. */
  KILLED_BEFORE,
  /** The server process is terminated after it was answered: the next one finds it gone. */
  KILLED_AFTER
}
