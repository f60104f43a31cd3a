package dev.rota.crash.model;

/**
 * The assumptions of the model, which a test may set wrong.
 *
 * @param releaseCounts whether the attempt of a released task counts
 */
record ModelAssumptions(boolean releaseCounts) {

  /** The assumptions by the documents. */
  static final ModelAssumptions DOCUMENTED = new ModelAssumptions(false);
}
