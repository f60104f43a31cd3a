package dev.rota.crash.campaign;

/** The ways in which the producers of a campaign enqueue. */
enum Way {
  SINGLE,
  ASYNC,
  BULK,
  IN_CALLERS_TRANSACTION,
  DELAYED,
  WITH_KEY
}
