package dev.rota.erasure.internal;

import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;

/**
 * The tenant that is erased, which may be in no registry any more.
 *
 * @param number its number
 * @param name the name that it has, or had
 * @param tables the names of what is its own
 */
record ErasureTarget(int number, String name, TenantTables tables) {

  /** How messages name it. */
  String label() {
    return "tenant '" + SafeText.whole(name) + "' (" + number + ")";
  }
}
