package dev.rota.internal.config;

import dev.rota.RetryPolicy;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.db.TransactionSettings;
import dev.rota.internal.schema.RegistryTables;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The settings of one Rota, with their bounds. Filled by the builder, then never changed. */
public final class RotaConfig {

  private static final int PAYLOAD_LIMIT_MAX = 1_048_576;
  private static final int MOST_STACK_FRAMES = 100;
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

  private RegistryTables tables = new RegistryTables(LockNamespace.DEFAULT_SCHEMA);
  private Duration lease = Duration.ofSeconds(30);
  private int payloadLimit = 65_536;
  private RetryPolicy retry = RetryPolicy.defaults();
  private int poolSize = 10;
  private int lockNamespace = 0x726F7461;
  private Duration registryRefresh = Duration.ofSeconds(1);
  private boolean doorbell = true;
  private Duration lockTimeout = Duration.ofSeconds(5);
  private Duration statementTimeout = Duration.ofSeconds(60);
  private LongSupplier nanoTime = System::nanoTime;
  private long asyncMemory = 64L << 20;
  private WatchRhythm daemonWatch = WatchRhythm.USUAL;
  private double lowerLanesShare = 0.1;
  private int stackFrames = 10;
  private @Nullable HistoryArchive archive;

  /**
   * When a process looks for a leading daemon.
   *
   * @param first how long a daemon that starts together with the application has to lead
   * @param pause between two looks
   */
  public record WatchRhythm(Duration first, Duration pause) {
    static final WatchRhythm USUAL = new WatchRhythm(Duration.ofSeconds(10), Duration.ofMinutes(1));
  }

  public RotaConfig() {}

  public RotaConfig copy() {
    RotaConfig copy = new RotaConfig();
    copy.tables = tables;
    copy.lease = lease;
    copy.payloadLimit = payloadLimit;
    copy.retry = retry;
    copy.poolSize = poolSize;
    copy.lockNamespace = lockNamespace;
    copy.registryRefresh = registryRefresh;
    copy.doorbell = doorbell;
    copy.lockTimeout = lockTimeout;
    copy.statementTimeout = statementTimeout;
    copy.nanoTime = nanoTime;
    copy.asyncMemory = asyncMemory;
    copy.daemonWatch = daemonWatch;
    copy.lowerLanesShare = lowerLanesShare;
    copy.stackFrames = stackFrames;
    copy.archive = archive;
    return copy;
  }

  public RegistryTables tables() {
    return tables;
  }

  public void schema(String schema) {
    tables = new RegistryTables(schema);
  }

  public Duration lease() {
    return lease;
  }

  public void lease(Duration value) {
    lease = within("lease", value, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  public int payloadLimit() {
    return payloadLimit;
  }

  public void payloadLimit(int bytes) {
    payloadLimit = (int) within("payloadLimit", bytes, 1, PAYLOAD_LIMIT_MAX);
  }

  public RetryPolicy retry() {
    return retry;
  }

  public void retry(RetryPolicy policy) {
    retry = policy;
  }

  public int poolSize() {
    return poolSize;
  }

  public void poolSize(int connections) {
    poolSize = (int) within("poolSize", connections, 2, 10_000);
  }

  /** The first key of the schema's advisory locks, which no other schema shares. */
  public int lockNamespace() {
    return LockNamespace.of(lockNamespace, tables.schema());
  }

  public void lockNamespace(int namespace) {
    lockNamespace = namespace;
  }

  public Duration registryRefresh() {
    return registryRefresh;
  }

  public void registryRefresh(Duration value) {
    registryRefresh =
        within("registryRefresh", value, Duration.ofMillis(100), Duration.ofMinutes(1));
  }

  public boolean doorbell() {
    return doorbell;
  }

  public void doorbell(boolean enabled) {
    doorbell = enabled;
  }

  public TransactionSettings transactions() {
    return new TransactionSettings(lockTimeout, statementTimeout, longestSilence());
  }

  /**
   * How long nothing may happen in a transaction. What a worker held that stopped in the middle of
   * a claim cannot run again before that claim is over, so it must be soon after the lease.
   */
  private Duration longestSilence() {
    Duration soonAfter = lease.plusSeconds(3);
    return soonAfter.compareTo(LONGEST_SILENCE) < 0 ? soonAfter : LONGEST_SILENCE;
  }

  public void lockTimeout(Duration value) {
    lockTimeout = value;
  }

  /** The clock of what is repeated within this process; all other time is the database's. */
  public LongSupplier nanoTime() {
    return nanoTime;
  }

  public void nanoTime(LongSupplier clock) {
    nanoTime = clock;
  }

  public void statementTimeout(Duration value) {
    statementTimeout =
        within("statementTimeout", value, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /** When this process looks whether a daemon leads. */
  public WatchRhythm daemonWatch() {
    return daemonWatch;
  }

  public void daemonWatch(WatchRhythm value) {
    daemonWatch = value;
  }

  public long asyncMemory() {
    return asyncMemory;
  }

  public void asyncMemory(long bytes) {
    asyncMemory = within("asyncMemory", bytes, 1L << 20, Long.MAX_VALUE);
  }

  /** How many frames of a stack are kept with an error. */
  public int stackFrames() {
    return stackFrames;
  }

  public void stackFrames(int frames) {
    stackFrames = (int) within("stackFrames", frames, 0, MOST_STACK_FRAMES);
  }

  public double lowerLanesShare() {
    return lowerLanesShare;
  }

  public void lowerLanesShare(double share) {
    if (!(share >= 0 && share <= 0.5)) {
      throw new IllegalArgumentException(
          "lowerLanesShare is " + share + "; allowed are 0 to 0.5, such as 0.1 for a tenth");
    }
    lowerLanesShare = share;
  }

  /** Where history goes that leaves the database. */
  public Optional<HistoryArchive> archive() {
    return Optional.ofNullable(archive);
  }

  public void archive(HistoryArchive value) {
    archive = value;
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
