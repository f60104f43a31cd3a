package dev.rota.crash.model;

/**
 * What the model takes for true where a test lets it be wrong.
 *
 * @param releaseCounts whether the attempt of a task that was released counts
 */
record ModelAssumptions(boolean releaseCounts) {

  /** What the documents say. */
  static final ModelAssumptions DOCUMENTED = new ModelAssumptions(false);
}
