package dev.rota.demo;

import java.util.concurrent.atomic.AtomicLong;

/** The beginning of another workload; a row of a trace may be cut in the middle. */
record LimitedWorkload(DemoWorkload whole, long most) implements DemoWorkload {

  @Override
  public void read(Sink sink) throws InterruptedException {
    AtomicLong left = new AtomicLong(most);
    whole.read(
        (job, task, instances, fails) -> {
          int taken = (int) Math.min(instances, left.get());
          left.addAndGet(-taken);
          return taken > 0 && sink.accept(job, task, taken, fails) && left.get() > 0;
        });
  }
}
