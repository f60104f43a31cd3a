package dev.rota.crash.campaign.audit;

/** The ways in which the producers of a campaign enqueue. */
public enum EnqueueMode {
  SINGLE,
  ASYNC,
  BULK,
  IN_CALLERS_TRANSACTION,
  DELAYED,
  WITH_KEY
}
