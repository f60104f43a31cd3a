package dev.rota.internal.settle;

import java.util.List;

/**
 * Outcomes of one batch to be written together.
 *
 * @param batch the batch
 * @param outcomes the exceptions; when the batch stays open, also what is done so far
 * @param closing whether the batch ends with it: every task without an outcome is done then
 */
public record Settlement(ClaimedBatch batch, List<Outcome> outcomes, boolean closing) {}
