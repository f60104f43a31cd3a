package dev.rota;

/** The delivery guarantee of a worker. */
public enum DeliveryMode {
  /**
   * At least once, fenced: the claim commits, handlers run, and their outcomes are settled. A task
   * runs again if its worker dies or loses its lease, and the late outcome of the first run is
   * dropped.
   */
  LEASED,
  /**
   * Handlers run inside the claim's transaction and get its connection. Their writes to the same
   * database happen exactly once. A batch holds at most 50 tasks and a handler has 30 seconds.
   */
  TRANSACTIONAL,
  /**
   * At most once: the tasks are claimed and settled in one transaction, then run. A crash loses the
   * tasks that did not run.
   */
  FIRE_AND_FORGET
}
