package dev.rota.transfer.internal;

import dev.rota.archive.internal.store.SegmentKey;
import java.util.List;

/**
 * The plan to restore one tenant.
 *
 * @param name its name here
 * @param number the number that it has here, or will get
 * @param registered whether it is already registered here
 * @param files the files under its number in the archive, at least one
 */
record RestorePlan(String name, int number, boolean registered, ArchivedTenants.Files files) {

  List<SegmentKey> keys() {
    return files.keys();
  }

  /** The number in its keys, which may differ from its number here. */
  int archivedNumber() {
    return keys().get(0).tenant();
  }

  int lastSegment() {
    return keys().get(0).seq();
  }
}
