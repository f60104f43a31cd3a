package dev.rota.erasure.internal;

import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;

/**
 * The tenant to erase, which may have left the registry.
 *
 * @param number its number
 * @param name the name that it has, or had
 * @param tables the names of its tables
 */
record ErasureTarget(int number, String name, TenantTables tables) {

  /** The name of the tenant in messages. */
  String label() {
    return "tenant '" + SafeText.whole(name) + "' (" + number + ")";
  }
}
