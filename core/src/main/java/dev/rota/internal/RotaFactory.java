package dev.rota.internal;

import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.StatementObserver;
import dev.rota.internal.pool.ConnectionPool;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** Builds a Rota: what {@link Rota}'s static methods call. */
public final class RotaFactory {

  private RotaFactory() {}

  /** Over the pool of a host. */
  public static Rota.Builder builder(DataSource hosts) {
    return new RotaBuilder(settings -> new Pool(hosts, () -> {}));
  }

  /** Over a pool of Rota's own. */
  public static Rota.Builder builder(String jdbcUrl) {
    return new RotaBuilder(settings -> ownPool(jdbcUrl, settings));
  }

  /** With an observer of every call, for tests that number, delay, fail or kill calls. */
  public static Rota build(Rota.Builder builder, StatementObserver observer) {
    return ((RotaBuilder) builder).build(observer);
  }

  /** With another limit for waiting for locks, for tests that hold one for long. */
  public static Rota.Builder lockTimeout(Rota.Builder builder, Duration timeout) {
    ((RotaBuilder) builder).settings.lockTimeout(timeout);
    return builder;
  }

  /** With a clock that does not go by itself, for tests of what is done again after a while. */
  public static Rota.Builder nanoTime(Rota.Builder builder, LongSupplier clock) {
    ((RotaBuilder) builder).settings.nanoTime(clock);
    return builder;
  }

  /** With other times for looking whether a daemon leads, for tests of that. */
  public static Rota.Builder daemonWatch(Rota.Builder builder, Duration first, Duration pause) {
    ((RotaBuilder) builder).settings.daemonWatch(new RotaConfig.WatchRhythm(first, pause));
    return builder;
  }

  private static Pool ownPool(String jdbcUrl, RotaConfig settings) {
    ConnectionPool pool = new ConnectionPool(jdbcUrl, settings.poolSize());
    return new Pool(pool, pool::close);
  }

  record Pool(DataSource dataSource, Runnable close) {}

  private static final class RotaBuilder implements Rota.Builder {
    private final RotaConfig settings = new RotaConfig();
    private final Function<RotaConfig, Pool> pools;

    RotaBuilder(Function<RotaConfig, Pool> pools) {
      this.pools = pools;
    }

    @Override
    public Rota.Builder schema(String schema) {
      settings.schema(schema);
      return this;
    }

    @Override
    public Rota.Builder lease(Duration lease) {
      settings.lease(lease);
      return this;
    }

    @Override
    public Rota.Builder payloadLimit(int bytes) {
      settings.payloadLimit(bytes);
      return this;
    }

    @Override
    public Rota.Builder retry(RetryPolicy policy) {
      settings.retry(Objects.requireNonNull(policy, "retry is null; give one, or leave it out"));
      return this;
    }

    @Override
    public Rota.Builder archive(HistoryArchive archive) {
      settings.archive(
          Objects.requireNonNull(archive, "archive is null; give one, or leave it out"));
      return this;
    }

    @Override
    public Rota.Builder poolSize(int connections) {
      settings.poolSize(connections);
      return this;
    }

    @Override
    public Rota.Builder lockNamespace(int namespace) {
      settings.lockNamespace(namespace);
      return this;
    }

    @Override
    public Rota.Builder registryRefresh(Duration interval) {
      settings.registryRefresh(interval);
      return this;
    }

    @Override
    public Rota.Builder doorbell(boolean enabled) {
      settings.doorbell(enabled);
      return this;
    }

    @Override
    public Rota.Builder statementTimeout(Duration timeout) {
      settings.statementTimeout(timeout);
      return this;
    }

    @Override
    public Rota.Builder asyncMemory(long bytes) {
      settings.asyncMemory(bytes);
      return this;
    }

    @Override
    public Rota.Builder lowerLanesShare(double share) {
      settings.lowerLanesShare(share);
      return this;
    }

    @Override
    public Rota.Builder stackFrames(int frames) {
      settings.stackFrames(frames);
      return this;
    }

    @Override
    public Rota build() {
      return build(StatementObserver.NONE);
    }

    private Rota build(StatementObserver observer) {
      RotaConfig copy = settings.copy();
      Pool pool = pools.apply(copy);
      Kernel.Base base = new Kernel.Base(copy, pool.dataSource(), observer);
      Features features = new Features(base);
      Kernel kernel = new Kernel(base, features.extensions());
      return new DefaultRota(kernel, features, pool.close());
    }
  }
}
