package dev.rota.crash.model;

/** What becomes of a task of a batch. */
enum ModelOutcome {
  DONE,
  FAIL,
  FAIL_FOR_LONG,
  KILL,
  RELEASE
}
