package dev.rota.crash.model;

/** The outcome of a task of a batch. */
enum ModelOutcome {
  DONE,
  FAIL,
  FAIL_FOR_LONG,
  KILL,
  RELEASE
}
