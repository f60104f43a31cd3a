package dev.rota.benchmarks;

import dev.rota.internal.db.Session.StatementObserver;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Times ring switches by their calls: from the first check to the commit. */
final class SwitchTimer implements StatementObserver {

  private final AtomicLong switches = new AtomicLong();
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong nanosLocked = new AtomicLong();
  private final ThreadLocal<Times> times = ThreadLocal.withInitial(Times::new);

  private static final class Times {
    private long begun;
    private long locked;
    private boolean pointing;
    private boolean switched;
  }

  @Override
  public void before(String call) {
    Times own = times.get();
    if (call.equals("look into slot") && !own.pointing) {
      own.begun = System.nanoTime();
    }
  }

  @Override
  public void after(String call) {
    Times own = times.get();
    switch (call) {
      case "lock slot pointer" -> own.pointing = true;
      case "lock slot" -> own.locked = System.nanoTime();
      case "switch slot" -> own.switched = true;
      case "commit" -> committed(own);
      default -> {}
    }
  }

  private void committed(Times own) {
    if (own.switched) {
      long now = System.nanoTime();
      switches.incrementAndGet();
      nanos.addAndGet(now - own.begun);
      nanosLocked.addAndGet(now - own.locked);
    }
    own.pointing = false;
    own.switched = false;
  }

  long switches() {
    return switches.get();
  }

  /** The mean time of a switch. */
  double micros() {
    return (double) nanos.get() / TimeUnit.MICROSECONDS.toNanos(1) / switches.get();
  }

  /** The mean time for which a switch locks producers out of the next slot. */
  double microsLocked() {
    return (double) nanosLocked.get() / TimeUnit.MICROSECONDS.toNanos(1) / switches.get();
  }

  void reset() {
    switches.set(0);
    nanos.set(0);
    nanosLocked.set(0);
  }
}
