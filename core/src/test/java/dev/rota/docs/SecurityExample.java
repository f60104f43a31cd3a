package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.admin.Roles;

/** The example of docs/security.md. */
final class SecurityExample {

  private SecurityExample() {}

  static void migrate(Rota rota) {
    // begin roles
    rota.admin().migrate(Roles.withPrefix("rota"));
    // end roles
  }
}
