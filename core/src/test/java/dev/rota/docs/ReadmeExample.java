package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The example of README.md, within an application that embeds Rota. */
final class ReadmeExample {

  private final DataSource dataSource;
  private final Consumer<String> mailer;
  private final Consumer<Collection<?>> index;
  private final Runnable application;

  ReadmeExample(
      DataSource dataSource,
      Consumer<String> mailer,
      Consumer<Collection<?>> index,
      Runnable application) {
    this.dataSource = dataSource;
    this.mailer = mailer;
    this.index = index;
    this.application = application;
  }

  void run(String json, List<NewTask> tasks) throws SQLException {
    // begin embedding
    Rota rota = Rota.builder(dataSource).build(); // or Rota.connect("jdbc:postgresql://...")
    rota.admin().migrate(); // creates the schema; safe to repeat, from many processes at once too
    Tenant acme = rota.tenants().register("acme"); // gets tables with its first task
    Worker worker =
        rota.worker()
            .handle("email.send", task -> mailer.accept(task.payload()))
            .handleBatch("search.index", batch -> index.accept(batch))
            .concurrency(32)
            .start();

    acme.enqueue(NewTask.of("email.send", json)); // durable when it returns
    acme.enqueueAll(tasks); // thousands in a call, all or none
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false); // your own writes go here, in the same transaction
      acme.enqueue(connection, NewTask.of("email.send", json)); // exists if you commit
      connection.commit();
    }
    application.run();
    worker.close(); // lets running handlers finish and hands back the rest
    rota.close();
    // end embedding
  }
}
