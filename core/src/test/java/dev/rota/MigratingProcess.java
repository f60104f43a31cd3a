package dev.rota;

import java.io.IOException;

/** Prints that it is ready, waits for a line, then migrates and registers a tenant. */
final class MigratingProcess {

  static final String READY = "ready";

  private MigratingProcess() {}

  public static void main(String[] arguments) throws IOException {
    try (Rota rota = Rota.builder(arguments[0]).poolSize(2).build()) {
      System.out.println(READY);
      int unused = System.in.read();
      rota.admin().migrate();
      rota.tenants().register("acme");
    }
  }
}
