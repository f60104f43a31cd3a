package dev.rota.spring;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings of the starter, with the texts that editors show for them. */
@ConfigurationProperties("rota")
final class RotaProperties {

  /** Whether the starter builds a Rota. */
  private boolean enabled = true;

  /** Schema of the registry. */
  private String schema = "rota";

  /** Whether the start migrates the schema, checks that it is up to date, or does neither. */
  private Migration migrate = Migration.TRUE;

  /** Name of the bean of the DataSource, if there are several and another one is primary. */
  private @Nullable String datasource;

  /** How long a worker may be silent before others run its tasks again. */
  private Duration lease = Duration.ofSeconds(30);

  /** Largest payload in UTF-8 bytes. */
  private int payloadLimit = 65_536;

  /** Tenants to register at the start. */
  private List<String> tenants = List.of();

  /** Tenant of schedules whose annotation names none. */
  private String systemTenant = "system";

  /**
   * Whether tasks are enqueued in the transaction of Spring in the calling thread, if there is one.
   */
  private boolean joinTransactions = true;

  private Retry retry = new Retry();

  private Work worker = new Work();

  private Daemon daemon = new Daemon();

  private Metrics metrics = new Metrics();

  private Tracing tracing = new Tracing();

  private Dashboard dashboard = new Dashboard();

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public String getSchema() {
    return schema;
  }

  public void setSchema(String schema) {
    this.schema = schema;
  }

  public Migration getMigrate() {
    return migrate;
  }

  public void setMigrate(Migration migrate) {
    this.migrate = migrate;
  }

  public @Nullable String getDatasource() {
    return datasource;
  }

  public void setDatasource(@Nullable String datasource) {
    this.datasource = datasource;
  }

  public Duration getLease() {
    return lease;
  }

  public void setLease(Duration lease) {
    this.lease = lease;
  }

  public int getPayloadLimit() {
    return payloadLimit;
  }

  public void setPayloadLimit(int payloadLimit) {
    this.payloadLimit = payloadLimit;
  }

  public List<String> getTenants() {
    return tenants;
  }

  public void setTenants(List<String> tenants) {
    this.tenants = tenants;
  }

  public String getSystemTenant() {
    return systemTenant;
  }

  public void setSystemTenant(String systemTenant) {
    this.systemTenant = systemTenant;
  }

  public boolean isJoinTransactions() {
    return joinTransactions;
  }

  public void setJoinTransactions(boolean joinTransactions) {
    this.joinTransactions = joinTransactions;
  }

  public Retry getRetry() {
    return retry;
  }

  public Work getWorker() {
    return worker;
  }

  public Daemon getDaemon() {
    return daemon;
  }

  public Metrics getMetrics() {
    return metrics;
  }

  public Tracing getTracing() {
    return tracing;
  }

  public Dashboard getDashboard() {
    return dashboard;
  }

  /** What the start does with the schema. */
  enum Migration {
    /** Creates or updates it. */
    TRUE,
    /** Ends the start if it is missing or older than the library. */
    CHECK,
    /** Nothing: another process migrates. */
    FALSE
  }

  /** When failed tasks are tried again. */
  static final class Retry {

    /** After how many failed attempts a task is dead. */
    private int maxAttempts = 10;

    /** Pause after the first failure, which doubles each time. */
    private Duration first = Duration.ofSeconds(1);

    /** Longest pause. */
    private Duration longest = Duration.ofHours(1);

    public int getMaxAttempts() {
      return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
      this.maxAttempts = maxAttempts;
    }

    public Duration getFirst() {
      return first;
    }

    public void setFirst(Duration first) {
      this.first = first;
    }

    public Duration getLongest() {
      return longest;
    }

    public void setLongest(Duration longest) {
      this.longest = longest;
    }

    RetryPolicy policy() {
      return RetryPolicy.exponential(maxAttempts, first, longest);
    }
  }

  /** The worker of this process. */
  static final class Work {

    /** Whether this process runs tasks. */
    private boolean enabled = true;

    /** How many handlers run at the same time; the number of processors by default. */
    private @Nullable Integer concurrency;

    /** Delivery guarantee. */
    private DeliveryMode delivery = DeliveryMode.LEASED;

    /** Settings of single kinds, such as rota.worker.kinds[email.send].concurrency. */
    private Map<String, KindSettings> kinds = new LinkedHashMap<>();

    /** Whether the worker counts ended attempts by tenant, kind and hour. */
    private boolean statistics = true;

    /**
     * Whether handlers run in virtual threads; from JDK 21 on as spring.threads.virtual.enabled.
     */
    private @Nullable Boolean virtualThreads;

    /**
     * How long running handlers may take at a shutdown; nine tenths of
     * spring.lifecycle.timeout-per-shutdown-phase by default.
     */
    private @Nullable Duration shutdownPatience;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public @Nullable Integer getConcurrency() {
      return concurrency;
    }

    public void setConcurrency(@Nullable Integer concurrency) {
      this.concurrency = concurrency;
    }

    public DeliveryMode getDelivery() {
      return delivery;
    }

    public void setDelivery(DeliveryMode delivery) {
      this.delivery = delivery;
    }

    public Map<String, KindSettings> getKinds() {
      return kinds;
    }

    public boolean isStatistics() {
      return statistics;
    }

    public void setStatistics(boolean statistics) {
      this.statistics = statistics;
    }

    public @Nullable Boolean getVirtualThreads() {
      return virtualThreads;
    }

    public void setVirtualThreads(@Nullable Boolean virtualThreads) {
      this.virtualThreads = virtualThreads;
    }

    public @Nullable Duration getShutdownPatience() {
      return shutdownPatience;
    }

    public void setShutdownPatience(@Nullable Duration shutdownPatience) {
      this.shutdownPatience = shutdownPatience;
    }
  }

  /** The settings of one kind. */
  static final class KindSettings {

    /** How many handlers of the kind run at the same time. */
    private @Nullable Integer concurrency;

    /** Time limit of handlers of the kind. */
    private @Nullable Duration timeLimit;

    /** Retry policy of the kind. */
    private @Nullable Retry retry;

    public @Nullable Integer getConcurrency() {
      return concurrency;
    }

    public void setConcurrency(@Nullable Integer concurrency) {
      this.concurrency = concurrency;
    }

    public @Nullable Duration getTimeLimit() {
      return timeLimit;
    }

    public void setTimeLimit(@Nullable Duration timeLimit) {
      this.timeLimit = timeLimit;
    }

    public @Nullable Retry getRetry() {
      return retry;
    }

    public void setRetry(@Nullable Retry retry) {
      this.retry = retry;
    }
  }

  /** The daemon of this process. */
  static final class Daemon {

    /** Whether this process runs a rotation daemon; one leads among all processes. */
    private boolean enabled = true;

    /** How often the ring of a tenant is switched. */
    private Duration rotateEvery = Duration.ofHours(1);

    /** How long the history of a tenant is kept in the database. */
    private Duration keepHistory = Duration.ofDays(7);

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public Duration getRotateEvery() {
      return rotateEvery;
    }

    public void setRotateEvery(Duration rotateEvery) {
      this.rotateEvery = rotateEvery;
    }

    public Duration getKeepHistory() {
      return keepHistory;
    }

    public void setKeepHistory(Duration keepHistory) {
      this.keepHistory = keepHistory;
    }
  }

  /** The metrics of this process. */
  static final class Metrics {

    /** Whether Rota is measured if there are a MeterRegistry and rota-micrometer. */
    private boolean enabled = true;

    /** How many tenants have meters of their own: those that come first. */
    private int tenants;

    /** How often this process reads the status of the whole database for meters; else never. */
    private @Nullable Duration watchEvery;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public int getTenants() {
      return tenants;
    }

    public void setTenants(int tenants) {
      this.tenants = tenants;
    }

    public @Nullable Duration getWatchEvery() {
      return watchEvery;
    }

    public void setWatchEvery(@Nullable Duration watchEvery) {
      this.watchEvery = watchEvery;
    }
  }

  /** Traces in OpenTelemetry. */
  static final class Tracing {

    /** Whether tasks are traced if there are an OpenTelemetry and rota-opentelemetry. */
    private boolean enabled = true;

    /** Whether the span of an enqueue is the parent of the handler's span, instead of a link. */
    private boolean parent;

    /** Whether the metrics of OpenTelemetry for messaging are recorded too. */
    private boolean metrics;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public boolean isParent() {
      return parent;
    }

    public void setParent(boolean parent) {
      this.parent = parent;
    }

    public boolean isMetrics() {
      return metrics;
    }

    public void setMetrics(boolean metrics) {
      this.metrics = metrics;
    }
  }

  /** The dashboard in the web server of the application. */
  static final class Dashboard {

    /** Whether it is mounted if there are rota-dashboard and a servlet container. */
    private boolean enabled;

    /** Path under which it is mounted, without a slash at the end. */
    private String path = "/rota";

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getPath() {
      return path;
    }

    /** Sets the path; one that does not begin with a slash, or ends with one, is refused. */
    public void setPath(String path) {
      if (!path.matches("(/[^/*?#]+)+")) {
        throw new IllegalArgumentException(
            "rota.dashboard.path is '" + path + "'; use a path such as /ops/rota");
      }
      this.path = path;
    }
  }
}
