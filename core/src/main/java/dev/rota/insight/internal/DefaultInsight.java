package dev.rota.insight.internal;

import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.internal.StatusReader;
import dev.rota.history.HourlyStatistics;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.ScheduleEntry;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.StorageReport;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantErrors;
import dev.rota.insight.TenantPage;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantsOfKind;
import dev.rota.insight.UnhandledKind;
import dev.rota.insight.WorkerActivity;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.tenant.KnownTenants;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.Bounds;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Default implementation of {@link Insight}: all callers share a sample for a second, or for longer
 * where it costs more than a hundredth of the time.
 */
public final class DefaultInsight implements Insight {

  private static final String PURPOSE = "read the insight";
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How many times as long as it took a sample is fresh. */
  private static final long THRIFT = 100;

  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MOST_ROWS = 10_000;

  private final Runnable ensureOpen;
  private final Database database;
  private final TenantRegistry registry;
  private final StatusReader status;
  private final LongSupplier nanoTime;
  private final BacklogSampler sampler;
  private final InsightReader reader;
  private final StorageReader storage;
  private final ReentrantLock sampling = new ReentrantLock();
  private @Nullable Samples samples;

  /**
   * The present sample, and the one before, if there is one.
   *
   * @param tookNanos how long the present one took
   * @param freshNanos how long it is shared
   */
  private record Samples(
      BacklogSample present, @Nullable BacklogSample before, long tookNanos, long freshNanos) {}

  /**
   * Creates the insight of one Rota.
   *
   * @param status reads what concerns no tenant
   */
  public DefaultInsight(
      Runnable ensureOpen,
      Database database,
      TenantRegistry registry,
      StatusReader status,
      LongSupplier nanoTime) {
    this.ensureOpen = ensureOpen;
    this.database = database.withLockTimeout(LOCK_TIMEOUT).forReading(TIMEOUT);
    this.registry = registry;
    this.status = status;
    this.nanoTime = nanoTime;
    this.sampler = new BacklogSampler(registry.tables(), status, nanoTime);
    this.reader = new InsightReader(registry.tables());
    this.storage = new StorageReader(registry.tables());
  }

  @Override
  public Overview overview() {
    Samples now = samples();
    DatabaseStatus server = status.readSummary();
    return new Overview(
        now.present.readAt(),
        now.present.tenantCounts(),
        now.present.tasks(),
        now.present.flow(now.before),
        new Overview.Alive(server.liveWorkers(), server.leader().isPresent()));
  }

  @Override
  public TenantPage tenants(TenantQuery query) {
    Samples now = samples();
    List<TenantActivity> matching =
        now.present
            .activities(now.before)
            .filter(searched(query))
            .sorted(order(query.order()))
            .toList();
    return new TenantPage(
        matching.stream().skip(query.offset()).limit(query.limit()).toList(),
        matching.size(),
        now.present.readAt());
  }

  @Override
  public Optional<TenantActivity> tenant(String name) {
    Samples now = samples();
    return now.present.activity(name, now.before);
  }

  private static Predicate<TenantActivity> searched(TenantQuery query) {
    String part = query.search().orElse("").toLowerCase(Locale.ROOT);
    return tenant -> tenant.name().toLowerCase(Locale.ROOT).contains(part);
  }

  private static Comparator<TenantActivity> order(TenantQuery.Order order) {
    return Comparator.comparingDouble(descending(order)).thenComparing(TenantActivity::name);
  }

  private static ToDoubleFunction<TenantActivity> descending(TenantQuery.Order order) {
    return switch (order) {
      case NAME -> tenant -> 0;
      case PENDING -> tenant -> -tenant.estimated().pending();
      case WAITING -> tenant -> -tenant.estimated().waiting();
      case RUNNING -> tenant -> -tenant.estimated().running();
      case ARRIVED -> tenant -> -tenant.flow().map(Overview.Flow::arrived).orElse(0.0);
      case CLAIMED -> tenant -> -tenant.flow().map(Overview.Flow::claimed).orElse(0.0);
    };
  }

  @Override
  public List<KindActivity> kinds(Instant from, Instant to) {
    Bounds.check(from, to);
    return reading(session -> reader.kinds(session, from, to));
  }

  @Override
  public List<HourlyStatistics> hours(String kind, Instant from, Instant to) {
    Bounds.check(from, to);
    TaskValidator.checkSought("kind", kind);
    return reading(session -> reader.hours(session, kind, from, to)).stream()
        .sorted(Comparator.comparing(HourlyStatistics::hour))
        .toList();
  }

  @Override
  public TenantsOfKind tenantsOf(String kind, Instant from, Instant to, int limit) {
    Bounds.check(from, to);
    Bounds.check("limit", limit, MOST_ROWS);
    TaskValidator.checkSought("kind", kind);
    return reading(session -> reader.tenantsOf(session, kind, from, to, limit));
  }

  @Override
  public List<WorkerActivity> workers() {
    return reading(reader::workers);
  }

  @Override
  public List<UnhandledKind> unhandledKinds() {
    return UnhandledKindFinder.of(workers());
  }

  @Override
  public List<RunningBatch> running(int limit) {
    Bounds.check("limit", limit, MOST_ROWS);
    return reading(session -> reader.running(session, limit));
  }

  @Override
  public List<ErrorActivity> errors(ErrorQuery query) {
    query.kind().ifPresent(kind -> TaskValidator.checkSought("kind", kind));
    OptionalInt tenant =
        query
            .tenant()
            .map(name -> KnownTenants.of(registry, name))
            .map(OptionalInt::of)
            .orElseGet(OptionalInt::empty);
    return reading(session -> reader.errors(session, query, tenant));
  }

  @Override
  public List<TenantErrors> tenantsWith(long fingerprint, ErrorQuery query) {
    return reading(session -> reader.tenantsWith(session, fingerprint, query));
  }

  @Override
  public List<ScheduleEntry> schedules(ScheduleQuery query) {
    return reading(session -> reader.schedules(session, query));
  }

  @Override
  public StorageReport storage() {
    Samples now = samples();
    DatabaseStatus server = status.readSummary();
    StorageReader.Known known =
        new StorageReader.Known(now.present.longestSinceRotation(), server.troubles().archive());
    return reading(session -> storage.read(session, known));
  }

  /** The sample of the last second, or a new one; other callers wait for it. */
  private Samples samples() {
    ensureOpen.run();
    sampling.lock();
    try {
      Samples known = samples;
      if (known == null || nanoTime.getAsLong() - known.present.nanos() > known.freshNanos) {
        known = after(known);
        samples = known;
      }
      return known;
    } finally {
      sampling.unlock();
    }
  }

  /** A new sample. The faster one of two tells its cost, since the first one also looks around. */
  private Samples after(@Nullable Samples last) {
    long begun = System.nanoTime();
    BacklogSample present = sample();
    long took = System.nanoTime() - begun;
    long cost = last == null ? 0 : Math.min(took, last.tookNanos);
    long fresh = Math.min(MOST_FRESH_NANOS, Math.max(FRESH_NANOS, THRIFT * cost));
    return new Samples(present, last == null ? null : last.present, took, fresh);
  }

  private BacklogSample sample() {
    try {
      return reading(session -> sampler.read(session, registry.history()));
    } catch (RuntimeException | Error e) {
      sampler.forget();
      throw e;
    }
  }

  private <T> T reading(TransactionBody<T> body) {
    ensureOpen.run();
    try {
      return database.tryTransaction(PURPOSE, body);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(registry.tables().schema());
      }
      throw SqlErrors.translate(PURPOSE, e);
    }
  }
}
