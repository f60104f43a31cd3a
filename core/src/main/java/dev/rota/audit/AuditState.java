package dev.rota.audit;

/** How far an audited action is. */
public enum AuditState {
  /** It has begun, and its end is not recorded. */
  RUNNING,
  /** It is complete. */
  DONE,
  /** A person stopped it before its end. */
  STOPPED,
  /** It failed; what it had changed before stays. */
  FAILED
}
