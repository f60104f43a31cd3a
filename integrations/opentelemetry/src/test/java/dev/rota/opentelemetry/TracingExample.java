package dev.rota.opentelemetry;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import io.opentelemetry.api.OpenTelemetry;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/** The examples of docs/tracing.md. */
final class TracingExample {

  private TracingExample() {}

  static Rota trace(OpenTelemetry openTelemetry, DataSource dataSource) {
    // begin tracing
    RotaTelemetry telemetry = RotaTelemetry.builder(openTelemetry).build();
    Rota rota = Rota.builder(dataSource).observer(telemetry.observer()).build();
    // end tracing
    return rota;
  }

  static void headers(Tenant acme, Worker.Builder worker, BiConsumer<String, String> mailer) {
    // begin headers
    acme.enqueue(
        NewTask.of("email.send", "{\"to\": \"a@b.example\"}").withHeader("locale", "de-AT"));
    worker.handle(
        "email.send", task -> mailer.accept(task.headers().get("locale"), task.payload()));
    // end headers
  }
}
