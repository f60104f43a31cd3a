package dev.rota.internal.schema;

/** How a batch ended, as stored in its row of the ledger. */
public enum BatchEnd {
  OPEN(0),
  SETTLED(1),
  ABANDONED(2),
  RELEASED(3);

  private final short code;

  BatchEnd(int code) {
    this.code = (short) code;
  }

  /** The number in the column {@code ended}. */
  public short code() {
    return code;
  }
}
