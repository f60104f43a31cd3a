package dev.rota.crash.model;

/** What becomes of a task of a batch. */
enum Outcome {
  DONE,
  FAIL,
  FAIL_FOR_LONG,
  KILL,
  RELEASE
}
