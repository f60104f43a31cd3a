package dev.rota.docs;

import dev.rota.FatalTaskException;
import dev.rota.NewTask;
import dev.rota.RetryAfterException;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.TaskCancelledException;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The examples of docs/retries.md. */
final class RetriesExample {

  private RetriesExample() {}

  static void enqueue(Tenant acme, String json) {
    // begin delays
    acme.enqueue(NewTask.of("trial.expire", json).runAt(Instant.parse("2030-01-31T08:00:00Z")));
    acme.enqueue(NewTask.of("order.remind", json).after(Duration.ofHours(24)));
    // end delays
  }

  static Worker work(Rota rota, Gateway gateway) {
    // begin policies
    return rota.worker()
        .retry(RetryPolicy.exponential(10, Duration.ofSeconds(1), Duration.ofHours(1)))
        .retry("report.build", RetryPolicy.linear(5, Duration.ofMinutes(5))) // 5, 10, 15, 20 min
        .retry("cache.warm", RetryPolicy.never())
        .handle("report.build", task -> gateway.build(task.payload()))
        .handle("cache.warm", task -> gateway.warm(task.payload()))
        .handle("sms.send", task -> send(gateway, task))
        .start();
    // end policies
  }

  private static void send(Gateway gateway, Task task) {
    // begin signals
    switch (gateway.send(task.payload())) {
      case SENT -> {}
      case BUSY -> throw new RetryAfterException(Duration.ofMinutes(2), "the gateway is busy");
      case NO_SUCH_NUMBER -> throw new FatalTaskException("no such number");
    }
    // end signals
  }

  static long redrive(Tenant acme) {
    // begin redrive
    for (ErrorGroup group : acme.history().scanErrorGroups(HistoryFilter.all().kind("sms.send"))) {
      System.out.println(group.dead() + " of " + group.attempts() + " dead: " + group.error());
    }
    Redrive dead =
        Redrive.all().kind("sms.send").error("dev.rota.FatalTaskException: no such number");
    long count = acme.control().redrive(dead.dryRun()); // only counts
    acme.control().redrive(dead.spreadOver(Duration.ofHours(1)));
    // end redrive
    return count;
  }

  static long hung(Rota rota, Tenant acme, Gateway gateway) {
    // begin hung
    Worker worker =
        rota.worker()
            .timeLimit("report.build", Duration.ofMinutes(10)) // then its thread is interrupted
            .handle("report.build", task -> gateway.build(task.payload()))
            .start();
    acme.control().longRunning(Duration.ofHours(1)); // claimed over an hour ago, and not ended
    acme.control().requeueRunning(Duration.ofHours(1)); // they run again; late outcomes are dropped
    // end hung
    worker.close();
    return acme.control().longRunning(Duration.ZERO).size();
  }

  static void cancel(Tenant acme, List<Long> ids) {
    // begin cancel
    acme.control().cancel(TaskFilter.all().kind("order.remind").ids(ids), "order cancelled");
    // end cancel
  }

  static long running(Rota rota, Tenant acme, Gateway gateway) {
    // begin running
    Worker worker =
        rota.worker()
            .handle(
                "report.build",
                task -> {
                  for (String part : gateway.parts(task.payload())) {
                    if (task.isCancelled()) {
                      throw new TaskCancelledException("stopped before " + part);
                    }
                    gateway.build(part);
                  }
                })
            .start();
    long asked = acme.control().requestCancel(TaskFilter.all().kind("report.build"), "wrong month");
    // end running
    worker.close();
    return asked;
  }

  /** Something that fails now and then. */
  interface Gateway {

    /** What became of a message. */
    enum Answer {
      SENT,
      BUSY,
      NO_SUCH_NUMBER
    }

    Answer send(String payload);

    List<String> parts(String payload);

    void build(String payload);

    void warm(String payload);
  }
}
