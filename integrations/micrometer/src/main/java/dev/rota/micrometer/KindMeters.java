package dev.rota.micrometer;

import dev.rota.spi.EndedAttempt.Ending;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of one kind. Thread-safe. */
final class KindMeters {

  private final Meters meters;
  private final String kind;
  private final Counter enqueued;
  private final Timer wait;
  private final Map<Ending, Counter> ended;
  private final Map<Ending, Timer> run = new ConcurrentHashMap<>();
  private final BoundedTags<Counter> errors;

  /**
   * The meters of a kind.
   *
   * @param mostErrors how many exceptions have a value of their own
   */
  KindMeters(Meters meters, String kind, int mostErrors) {
    this.meters = meters;
    this.kind = kind;
    this.enqueued = meters.counter(RotaMeter.TASKS_ENQUEUED, kind);
    this.wait = meters.timer(RotaMeter.TASK_WAIT, kind);
    // From the beginning: Prometheus sees no increase in a counter that begins with one.
    this.ended =
        Meters.ofEach(
            Ending.class,
            ending -> meters.counter(RotaMeter.TASKS_ENDED, kind, Meters.tag(ending)));
    this.errors =
        new BoundedTags<>(mostErrors, error -> meters.counter(RotaMeter.TASKS_ERRORS, kind, error));
  }

  Counter enqueued() {
    return enqueued;
  }

  Map<Ending, Counter> ended() {
    return ended;
  }

  Timer waiting() {
    return wait;
  }

  /** The timer of handlers with an outcome, which exists from the first one on. */
  Timer run(Ending ending) {
    return run.computeIfAbsent(
        ending, each -> meters.timer(RotaMeter.TASK_RUN, kind, Meters.tag(each)));
  }

  Counter error(String name) {
    return errors.of(name);
  }
}
