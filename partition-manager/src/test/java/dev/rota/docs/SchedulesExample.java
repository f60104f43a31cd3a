package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import java.time.Duration;
import java.util.function.Consumer;

/** The examples of docs/schedules.md. */
final class SchedulesExample {

  private final Consumer<String> reports;
  private final Runnable application;

  SchedulesExample(Consumer<String> reports, Runnable application) {
    this.reports = reports;
    this.application = application;
  }

  void declare(Rota rota) {
    // begin declare
    Tenant acme = rota.tenants().register("acme");
    acme.schedules()
        .add(
            Schedule.cron("nightly report", "30 3 * * *", NewTask.of("report", "{\"of\":\"day\"}"))
                .zone("Europe/Berlin")
                .missed(MissedRuns.ONCE)
                .overlapping(OverlappingRuns.SKIP)
                .jitter(Duration.ofMinutes(10)));
    acme.schedules().add(Schedule.every("poll", Duration.ofSeconds(30), NewTask.of("poll", "{}")));
    // end declare
  }

  void run(Rota rota) {
    // begin run
    Worker worker =
        rota.worker()
            .handle("report", task -> reports.accept(task.payload()))
            .handle("poll", task -> reports.accept("polled"))
            .start();
    RotationDaemon daemon = RotationDaemon.builder(rota).start(); // or the `rota daemon` command
    application.run();
    daemon.close();
    worker.close();
    // end run
  }

  long operate(Tenant acme) {
    // begin operate
    acme.schedules().pause("poll");
    acme.schedules().resume("poll"); // goes on in its beat
    long task = acme.schedules().run("nightly report"); // now, and again at half past three
    for (ScheduleInfo info : acme.schedules().list()) {
      System.out.println(
          info.schedule().name() + " runs next at " + info.nextRunAt().orElseThrow());
    }
    acme.schedules().remove("poll");
    // end operate
    return task;
  }

  // begin adhoc
  static void everyMinuteAndAHalf(Tenant acme) {
    acme.schedules()
        .add(Schedule.every("refresh", Duration.ofSeconds(90), NewTask.of("refresh", "{}")));
  }
  // end adhoc
}
