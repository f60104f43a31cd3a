package dev.rota;

import java.io.IOException;

/** The first minutes of an application: migrates, works, and prints when a task has run. */
final class QuietProgram {

  static final String DONE = "done";

  private QuietProgram() {}

  public static void main(String[] arguments) throws IOException {
    try (Rota rota = Rota.builder(arguments[0]).poolSize(4).build()) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      acme.enqueue(NewTask.of("unhandled", "{}"));
      try (Worker worker = rota.worker().handle("k", task -> System.out.println(DONE)).start()) {
        acme.enqueue(NewTask.of("k", "{}"));
        // Until the test has read enough.
        int unused = System.in.read();
      }
    }
  }
}
