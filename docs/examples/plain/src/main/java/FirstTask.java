import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Runs one task now, and one a second later. */
public final class FirstTask {

  private static final String URL =
      "jdbc:postgresql://localhost:5432/postgres?user=postgres&password=rota";

  private FirstTask() {}

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch sent = new CountDownLatch(2);
    try (Rota rota = Rota.connect(arguments.length == 0 ? URL : arguments[0])) {
      rota.admin().migrate(); // creates the schema; safe to repeat, from many processes at once too
      RotationDaemon daemon = RotationDaemon.start(rota); // readies delayed and failed tasks
      Tenant acme = rota.tenants().register("acme"); // gets tables with its first task
      Worker worker =
          rota.worker()
              .handle(
                  "email.send",
                  task -> {
                    System.out.println("sent " + task.payload());
                    sent.countDown();
                  })
              .start();

      NewTask task = NewTask.of("email.send", "{\"to\": \"joe\"}");
      acme.enqueue(task); // durable when it returns
      acme.enqueue(task.after(Duration.ofSeconds(1)));
      sent.await();
      worker.close(); // lets running handlers finish and hands back the rest
      daemon.close();
    }
  }
}
