package dev.rota;

/** What a worker promises about the tasks it claims. */
public enum DeliveryMode {
  /**
   * The claim commits, handlers run, their outcomes are settled. At least once, fenced: a task runs
   * again if its worker dies or loses its lease, and the late outcome of the first run is dropped.
   */
  LEASED,
  /**
   * Handlers run inside the claim's transaction and get its connection. What they write to the same
   * database happens exactly once. A batch holds at most 50 tasks and a handler has 30 seconds.
   */
  TRANSACTIONAL,
  /**
   * Claim and settle in one transaction, then run. At most once: a crash loses what did not run.
   */
  FIRE_AND_FORGET
}
