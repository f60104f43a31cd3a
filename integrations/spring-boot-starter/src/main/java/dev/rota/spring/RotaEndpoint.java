package dev.rota.spring;

import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import dev.rota.daemon.DaemonStatistics;
import dev.rota.daemon.RotationDaemon;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Shows the worker and the daemon of this process from memory, without a statement. */
@Endpoint(id = "rota")
final class RotaEndpoint {

  private final AnnotatedMethods methods;
  private final @Nullable WorkerLifecycle worker;
  private final @Nullable DaemonLifecycle daemon;

  RotaEndpoint(
      AnnotatedMethods methods,
      @Nullable WorkerLifecycle worker,
      @Nullable DaemonLifecycle daemon) {
    this.methods = methods;
    this.worker = worker;
    this.daemon = daemon;
  }

  /** The worker and the daemon; absent where a property switches them off. */
  record ProcessState(@Nullable WorkerState worker, @Nullable DaemonState daemon) {}

  /** The kinds of annotated methods, and the counters of the worker if it runs. */
  record WorkerState(boolean running, List<String> kinds, @Nullable WorkerStatistics sinceStart) {}

  /** Whether the daemon runs and leads, and its counters if it runs. */
  record DaemonState(boolean running, boolean leading, @Nullable DaemonStatistics sinceStart) {}

  @ReadOperation
  ProcessState process() {
    return new ProcessState(
        worker == null ? null : state(worker.worker()),
        daemon == null ? null : state(daemon.daemon()));
  }

  private WorkerState state(@Nullable Worker running) {
    List<String> kinds = methods.handlers().stream().map(AnnotatedHandler::kind).sorted().toList();
    return new WorkerState(running != null, kinds, running == null ? null : running.statistics());
  }

  private static DaemonState state(@Nullable RotationDaemon running) {
    return running == null
        ? new DaemonState(false, false, null)
        : new DaemonState(true, running.isLeading(), running.statistics());
  }
}
