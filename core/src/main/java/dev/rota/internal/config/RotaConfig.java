package dev.rota.internal.config;

import dev.rota.RetryPolicy;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.db.Session.TransactionSettings;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.spi.TaskObserver;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one Rota.
 *
 * @param tables the tables of its schema
 * @param lockNamespace the first key of the schema's advisory locks, which no other schema shares
 * @param process what holds for this process
 * @param tasks what holds for all tasks
 * @param timing when this process repeats something, and who is told of its tasks
 */
public record RotaConfig(
    RegistryTables tables,
    int lockNamespace,
    ProcessOptions process,
    TaskOptions tasks,
    TimingOptions timing) {

  /**
   * What holds for this process.
   *
   * @param transactions what each transaction sets for itself
   * @param lease how long a worker may be silent
   * @param registryRefresh how soon changes of the registry are seen
   * @param doorbell whether processes wake each other by NOTIFY
   * @param asyncMemory how many bytes of asynchronous work are held at most
   */
  public record ProcessOptions(
      TransactionSettings transactions,
      Duration lease,
      Duration registryRefresh,
      boolean doorbell,
      long asyncMemory) {}

  /**
   * What holds for all tasks.
   *
   * @param payloads the form of payloads
   * @param retry what becomes of failed tasks without a policy of their own
   * @param stackFrames how many frames of a stack are kept with an error
   * @param lowerLanesShare which part of a claim belongs to lower priorities
   * @param archive where history goes that leaves the database
   */
  public record TaskOptions(
      PayloadFormat payloads,
      RetryPolicy retry,
      int stackFrames,
      double lowerLanesShare,
      Optional<HistoryArchive> archive) {}

  /**
   * When this process repeats something, and who is told of its tasks.
   *
   * @param nanoTime the clock of what is repeated within this process; all other time is the
   *     database's
   * @param daemonWatch when this process looks whether a daemon leads
   * @param observer is told what happens to tasks; null for none
   */
  public record TimingOptions(
      LongSupplier nanoTime, WatchRhythm daemonWatch, @Nullable TaskObserver observer) {}

  /**
   * The times at which a process checks whether a daemon leads.
   *
   * @param first how long a daemon that starts together with the application has to take the lead
   * @param pause between two checks
   */
  public record WatchRhythm(Duration first, Duration pause) {}

  /** Refuses an option that is null. */
  public static <T> T given(String option, T value) {
    return Objects.requireNonNull(value, option + " is null; give one, or leave it out");
  }

  /** Checks an option against its bounds. */
  public static long within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option + " is " + value + "; allowed are " + least + " to " + most);
    }
    return value;
  }

  /** Checks an option against its bounds. NaN is out of them. */
  public static double within(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          option + " is " + value + "; allowed are " + least + " to " + most);
    }
    return value;
  }

  /** Checks an option against its bounds. */
  public static Duration within(String option, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          option + " is " + value + "; allowed are " + least + " to " + most);
    }
    return value;
  }
}
