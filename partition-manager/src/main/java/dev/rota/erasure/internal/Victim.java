package dev.rota.erasure.internal;

import dev.rota.internal.db.TenantTables;
import dev.rota.internal.text.Shown;

/**
 * The tenant that is erased, which may be in no registry any more.
 *
 * @param number its number
 * @param name the name that it has, or had
 * @param tables the names of what is its own
 */
record Victim(int number, String name, TenantTables tables) {

  /** How messages name it. */
  String label() {
    return "tenant '" + Shown.whole(name) + "' (" + number + ")";
  }
}
