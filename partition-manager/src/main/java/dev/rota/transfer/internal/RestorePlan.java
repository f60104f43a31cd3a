package dev.rota.transfer.internal;

import dev.rota.archive.internal.store.SegmentKey;
import java.util.List;

/**
 * What of one tenant is to be restored.
 *
 * @param name its name here
 * @param number the number that it has here, or will get
 * @param registered whether it is here already
 * @param files what is under its number in the archive, at least one file
 */
record RestorePlan(String name, int number, boolean registered, ArchivedTenants.Files files) {

  List<SegmentKey> keys() {
    return files.keys();
  }

  /** The number in its keys, which may be another one than here. */
  int archivedNumber() {
    return keys().get(0).tenant();
  }

  int lastSegment() {
    return keys().get(0).seq();
  }
}
