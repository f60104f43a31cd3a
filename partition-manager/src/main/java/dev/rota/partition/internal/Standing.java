package dev.rota.partition.internal;

/**
 * Where a tenant stood when it was looked at.
 *
 * @param entry the tenant
 * @param period the number of the present period, counted from 1970
 * @param ring its ring
 * @param segment its open segment of history
 */
record Standing(TenantBook.Entry entry, long period, Ring ring, Segment segment) {

  int number() {
    return entry.number();
  }

  String label() {
    return entry.tenant().label();
  }

  /**
   * A ring.
   *
   * @param slot the current slot
   * @param bytes its size
   * @param periodOver whether a period ended since the last rotation
   */
  record Ring(int slot, long bytes, boolean periodOver) {}

  /**
   * A segment that claims fill.
   *
   * @param seq its number
   * @param bytes its size
   * @param periodOver whether a period ended since it was opened
   * @param aged whether it is as old as a segment may become
   * @param overdue whether it is too old for the time for which its tenant keeps history
   */
  record Segment(int seq, long bytes, boolean periodOver, boolean aged, boolean overdue) {}
}
