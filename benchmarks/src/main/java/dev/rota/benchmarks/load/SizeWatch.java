package dev.rota.benchmarks.load;

import dev.rota.cli.database.CommandDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jooq.CloseableDSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Samples the sizes of the tables during a run, on a separate connection and thread. With many
 * tenants a sample takes long; so it samples no more often than costs a twentieth of a core.
 */
final class SizeWatch implements AutoCloseable {

  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int REST = 20;

  private final CommandDatabase database;
  private final LongSupplier rotations;
  private final List<SizeSample> samples = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread = new Thread(this::watch, "bench-sizes");
  private volatile @Nullable RuntimeException failure;

  private SizeWatch(CommandDatabase database, LongSupplier rotations) {
    this.database = database;
    this.rotations = rotations;
  }

  /** Starts a watch that takes no samples unless it is wanted, since every sample costs time. */
  static SizeWatch start(boolean wanted, CommandDatabase database, LongSupplier rotations) {
    SizeWatch watch = new SizeWatch(database, rotations);
    watch.thread.setDaemon(true);
    if (wanted) {
      watch.thread.start();
    }
    return watch;
  }

  /** Stops, and returns the samples. */
  List<SizeSample> finish() {
    close();
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return List.copyOf(samples);
  }

  @Override
  public void close() {
    stop.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch() {
    try (CloseableDSLContext context = database.connect()) {
      ServerProbe probe = new ServerProbe(context, database.schema());
      boolean stopped = false;
      while (!stopped) {
        stopped = stop.await(look(probe), TimeUnit.NANOSECONDS);
      }
      look(probe);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Takes a sample; returns the pause after it. */
  private long look(ServerProbe probe) {
    long started = System.nanoTime();
    samples.add(new SizeSample(rotations.getAsLong(), probe.sizes()));
    return Math.max(LEAST_NANOS, REST * (System.nanoTime() - started));
  }
}
