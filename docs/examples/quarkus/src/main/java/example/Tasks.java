package example;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Shutdown;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Makes the bean {@link Rota}, and runs a worker and a daemon while the application runs. */
@ApplicationScoped
public class Tasks {

  private RotationDaemon daemon;
  private Worker worker;

  /** The bean that producers inject: {@code rota.tenants().get("acme").enqueue(task)}. */
  @Produces
  @Singleton
  Rota rota(DataSource dataSource) {
    return Rota.builder(dataSource).build();
  }

  void start(@Observes Startup event, Rota rota, Consumer<String> mailer) {
    rota.admin().migrate(); // safe to repeat, from many processes at once too
    daemon = RotationDaemon.start(rota);
    worker = rota.worker().handle("email.send", task -> mailer.accept(task.payload())).start();
    rota.tenants().register("acme").enqueue(NewTask.of("email.send", "{\"to\": \"joe\"}"));
  }

  void stop(@Observes Shutdown event, Rota rota) {
    worker.close(); // lets running handlers finish and hands back the rest
    daemon.close();
    rota.close();
  }

  /** Sends the mails. */
  @Produces
  @Singleton
  static Consumer<String> mailer() {
    return mail -> System.out.println("sent " + mail);
  }
}
