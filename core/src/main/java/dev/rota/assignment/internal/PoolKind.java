package dev.rota.assignment.internal;

/** The side that an assignment pool knows in advance. The registry stores the codes. */
enum PoolKind {
  WORKERS(1, "workers"),
  TASKS(2, "tasks"),
  PAIRS(3, "pairs");

  private final int code;
  private final String label;

  PoolKind(int code, String label) {
    this.code = code;
    this.label = label;
  }

  int code() {
    return code;
  }

  /** The method of {@link dev.rota.assignment.Assignments} that opens such a pool. */
  String label() {
    return label;
  }

  static PoolKind of(int code) {
    return values()[code - 1];
  }
}
