package dev.rota.benchmarks.rate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * Counts what one process does, in a mapped file: the counts survive its kill. Starts are counted
 * by the millisecond, statements by the tenth of a second. Thread-safe.
 */
final class StartLog {

  private static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final int STATEMENT_MILLIS = 100;

  private final ByteBuffer buffer;
  private final long beganAt;
  private final int millis;

  private StartLog(ByteBuffer buffer, long beganAt, int millis) {
    this.buffer = buffer;
    this.beganAt = beganAt;
    this.millis = millis;
  }

  /**
   * Opens the log of a file, and makes the file if there is none.
   *
   * @param beganAt when the trial began, by {@link System#currentTimeMillis}
   * @param length how long it is; later events are not counted
   */
  static StartLog open(Path file, long beganAt, Duration length) {
    int millis = Math.toIntExact(length.toMillis());
    long bytes = (long) Integer.BYTES * (millis + millis / STATEMENT_MILLIS + 1);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new StartLog(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes), beganAt, millis);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Counts a task that begins. */
  void started() {
    long now = System.currentTimeMillis() - beganAt;
    if (now >= 0 && now < millis) {
      add((int) now);
    }
  }

  /** Counts a statement. */
  void sent() {
    long now = System.currentTimeMillis() - beganAt;
    if (now >= 0 && now < millis) {
      add(millis + (int) (now / STATEMENT_MILLIS));
    }
  }

  private void add(int place) {
    Object unused = INTS.getAndAdd(buffer, place * Integer.BYTES, 1);
  }

  private int at(int place) {
    return (int) INTS.getVolatile(buffer, place * Integer.BYTES);
  }

  /** The starts of each millisecond. */
  int[] starts() {
    int[] starts = new int[millis];
    for (int i = 0; i < millis; i++) {
      starts[i] = at(i);
    }
    return starts;
  }

  /** The statements of a range of milliseconds. */
  long statements(int from, int to) {
    long sum = 0;
    for (int i = from / STATEMENT_MILLIS; i < to / STATEMENT_MILLIS; i++) {
      sum += at(millis + i);
    }
    return sum;
  }
}
