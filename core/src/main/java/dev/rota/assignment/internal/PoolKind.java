package dev.rota.assignment.internal;

/** Who is known to an assignment pool beforehand. The codes stand in the registry. */
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
