package dev.rota.internal;

import static dev.rota.internal.config.RotaConfig.given;
import static dev.rota.internal.config.RotaConfig.within;

import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.config.JoinedTaskObserver;
import dev.rota.internal.config.LockNamespace;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.db.Session.TransactionSettings;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.internal.pool.ConnectionPool;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.spi.PayloadCodec;
import dev.rota.spi.TaskObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Builds a Rota: holds its settings until then, and checks each against its bounds. */
public final class RotaBuilder implements Rota.Builder {

  private static final int PAYLOAD_LIMIT_MAX = 1_048_576;
  private static final int MOST_STACK_FRAMES = 100;
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

  private final IntFunction<Pool> pools;
  private RegistryTables tables = new RegistryTables(LockNamespace.DEFAULT_SCHEMA);
  private int lockNamespace = 0x726F7461;
  private Duration lease = Duration.ofSeconds(30);
  private Duration registryRefresh = Duration.ofSeconds(1);
  private Duration lockTimeout = Duration.ofSeconds(5);
  private Duration statementTimeout = Duration.ofSeconds(60);
  private boolean doorbell = true;
  private long asyncMemory = 64L << 20;
  private int poolSize = 10;
  private int payloadLimit = 65_536;
  private @Nullable PayloadCodec payloadCodec;
  private RetryPolicy retry = RetryPolicy.defaults();
  private int stackFrames = 10;
  private double lowerLanesShare = 0.1;
  private Optional<HistoryArchive> archive = Optional.empty();
  private final List<TaskObserver> observers = new ArrayList<>();
  private LongSupplier nanoTime = System::nanoTime;
  private RotaConfig.WatchRhythm daemonWatch =
      new RotaConfig.WatchRhythm(Duration.ofSeconds(10), Duration.ofMinutes(1));

  private record Pool(DataSource dataSource, Runnable close) {}

  /** With what makes the pool, given its size. */
  private RotaBuilder(IntFunction<Pool> pools) {
    this.pools = pools;
  }

  /** Over the pool of a host. */
  public static Rota.Builder over(DataSource hosts) {
    return new RotaBuilder(size -> new Pool(hosts, () -> {}));
  }

  /** Over a pool of Rota's own. */
  public static Rota.Builder over(String jdbcUrl) {
    return new RotaBuilder(size -> ownPool(jdbcUrl, size));
  }

  private static Pool ownPool(String jdbcUrl, int size) {
    ConnectionPool pool = new ConnectionPool(jdbcUrl, size);
    return new Pool(pool, pool::close);
  }

  /** With an observer of every call, for tests that number, delay, fail or kill calls. */
  public static Rota build(Rota.Builder builder, StatementObserver observer) {
    return ((RotaBuilder) builder).build(observer);
  }

  /** The settings of a Rota that is not built, for tests of them. */
  static RotaConfig configOf(Rota.Builder builder) {
    return ((RotaBuilder) builder).config();
  }

  /** With another limit for waiting for locks, for tests that hold one for long. */
  public static Rota.Builder lockTimeout(Rota.Builder builder, Duration timeout) {
    ((RotaBuilder) builder).lockTimeout = timeout;
    return builder;
  }

  /** With a clock that does not go by itself, for tests of what is done again after a while. */
  public static Rota.Builder nanoTime(Rota.Builder builder, LongSupplier clock) {
    ((RotaBuilder) builder).nanoTime = clock;
    return builder;
  }

  /** With other times for looking whether a daemon leads, for tests of that. */
  public static Rota.Builder daemonWatch(Rota.Builder builder, Duration first, Duration pause) {
    ((RotaBuilder) builder).daemonWatch = new RotaConfig.WatchRhythm(first, pause);
    return builder;
  }

  @Override
  public Rota.Builder schema(String schema) {
    tables = new RegistryTables(schema);
    return this;
  }

  @Override
  public Rota.Builder lease(Duration value) {
    lease = within("lease", value, Duration.ofSeconds(1), Duration.ofHours(1));
    return this;
  }

  @Override
  public Rota.Builder payloadLimit(int bytes) {
    payloadLimit = (int) within("payloadLimit", bytes, 1, PAYLOAD_LIMIT_MAX);
    return this;
  }

  @Override
  public Rota.Builder payloadCodec(PayloadCodec codec) {
    payloadCodec = given("payloadCodec", codec);
    return this;
  }

  @Override
  public Rota.Builder retry(RetryPolicy policy) {
    retry = given("retry", policy);
    return this;
  }

  @Override
  public Rota.Builder archive(HistoryArchive to) {
    archive = Optional.of(given("archive", to));
    return this;
  }

  @Override
  public Rota.Builder poolSize(int connections) {
    poolSize = (int) within("poolSize", connections, 2, 10_000);
    return this;
  }

  @Override
  public Rota.Builder lockNamespace(int namespace) {
    lockNamespace = namespace;
    return this;
  }

  @Override
  public Rota.Builder registryRefresh(Duration interval) {
    registryRefresh =
        within("registryRefresh", interval, Duration.ofMillis(100), Duration.ofMinutes(1));
    return this;
  }

  @Override
  public Rota.Builder doorbell(boolean enabled) {
    doorbell = enabled;
    return this;
  }

  @Override
  public Rota.Builder statementTimeout(Duration timeout) {
    statementTimeout =
        within("statementTimeout", timeout, Duration.ofSeconds(1), Duration.ofHours(1));
    return this;
  }

  @Override
  public Rota.Builder asyncMemory(long bytes) {
    asyncMemory = within("asyncMemory", bytes, 1L << 20, Long.MAX_VALUE);
    return this;
  }

  @Override
  public Rota.Builder lowerLanesShare(double share) {
    if (!(share >= 0 && share <= 0.5)) {
      throw new IllegalArgumentException(
          "lowerLanesShare is " + share + "; allowed are 0 to 0.5, such as 0.1 for a tenth");
    }
    lowerLanesShare = share;
    return this;
  }

  @Override
  public Rota.Builder stackFrames(int frames) {
    stackFrames = (int) within("stackFrames", frames, 0, MOST_STACK_FRAMES);
    return this;
  }

  @Override
  public Rota.Builder observer(TaskObserver told) {
    observers.add(given("observer", told));
    return this;
  }

  @Override
  public Rota build() {
    return build(StatementObserver.NONE);
  }

  private Rota build(StatementObserver observer) {
    Pool pool = pools.apply(poolSize);
    Kernel.Base base = new Kernel.Base(config(), pool.dataSource(), observer);
    Features features = new Features(base);
    Kernel kernel = new Kernel(base, features.extensions(), features.rules());
    return new DefaultRota(kernel, features, pool.close());
  }

  private RotaConfig config() {
    return new RotaConfig(
        tables,
        LockNamespace.of(lockNamespace, tables.schema()),
        new RotaConfig.ProcessOptions(
            new TransactionSettings(lockTimeout, statementTimeout, longestSilence()),
            lease,
            registryRefresh,
            doorbell,
            asyncMemory),
        new RotaConfig.TaskOptions(
            new PayloadFormat(payloadLimit, payloadCodec),
            retry,
            stackFrames,
            lowerLanesShare,
            archive),
        new RotaConfig.TimingOptions(
            nanoTime, daemonWatch, JoinedTaskObserver.of(observers, nanoTime)));
  }

  /**
   * How long nothing may happen in a transaction. What a worker held that stopped in the middle of
   * a claim cannot run again before that claim is over, so it must be soon after the lease.
   */
  private Duration longestSilence() {
    Duration soonAfter = lease.plusSeconds(3);
    return soonAfter.compareTo(LONGEST_SILENCE) < 0 ? soonAfter : LONGEST_SILENCE;
  }
}
