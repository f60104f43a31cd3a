package dev.rota;

import dev.rota.admin.Admin;
import dev.rota.audit.AuditLog;
import dev.rota.history.ArchiveUse;
import dev.rota.history.History;
import dev.rota.history.HistoryArchive;
import dev.rota.insight.Insight;
import dev.rota.internal.RotaBuilder;
import dev.rota.limits.Controls;
import dev.rota.metering.Metering;
import dev.rota.spi.PayloadCodec;
import dev.rota.spi.TaskObserver;
import dev.rota.typed.Kind;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * The entry to Rota: one per process and database. Thread-safe.
 *
 * <pre>{@code
 * Rota rota = Rota.builder(dataSource).build();
 * rota.migrate();
 * Tenant acme = rota.tenants().register("acme");
 * acme.enqueue(NewTask.of("email.send", json));
 * }</pre>
 */
public interface Rota extends AutoCloseable {

  /**
   * Builds a Rota on the connection pool of the host application. Rota borrows connections only for
   * the length of a transaction, and one for listening (see {@link Builder#doorbell(boolean)}). It
   * sets its session parameters for each transaction only, and never closes the pool.
   *
   * @param dataSource the pool; the PostgreSQL JDBC driver must be behind it
   * @return a builder
   */
  static Builder builder(DataSource dataSource) {
    return RotaBuilder.over(dataSource);
  }

  /**
   * Builds a Rota with its own connection pool, which it closes. The pool connects when it is first
   * used. A wrong host, port, database or login fails that first use at once, with a {@link
   * DatabaseException} that names host, port, database and the server's reason. A pool that has
   * connected successfully waits up to 10 seconds for its server to come back.
   *
   * @param jdbcUrl such as {@code jdbc:postgresql://host/database?user=...&password=...}
   * @return a builder
   */
  static Builder builder(String jdbcUrl) {
    return RotaBuilder.over(jdbcUrl);
  }

  /**
   * Creates a Rota with its own connection pool and all defaults.
   *
   * @param jdbcUrl such as {@code jdbc:postgresql://host/database?user=...&password=...}
   * @return a Rota
   * @throws IllegalArgumentException if the URL is malformed, or if no driver accepts it
   */
  static Rota connect(String jdbcUrl) {
    return builder(jdbcUrl).build();
  }

  /** Configures and builds a {@link Rota}. Not thread-safe. */
  interface Builder {

    // essential

    /**
     * Sets the schema of the registry; {@code rota} by default. Tenants get schemas of this name
     * with their number appended.
     *
     * @param schema 1 to 40 characters out of {@code a-z 0-9 _}, starting with a letter and not
     *     ending in {@code _} and a number
     * @return this builder
     * @throws IllegalArgumentException if the name is malformed
     */
    Builder schema(String schema);

    // frequent

    /**
     * Sets how long a worker may be silent before other workers run its tasks again; 30 seconds by
     * default. Heartbeats are sent at a fifth of this interval.
     *
     * @param lease 1 second to 1 hour
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder lease(Duration lease);

    /**
     * Sets the largest payload in UTF-8 bytes; 65,536 by default.
     *
     * @param bytes 1 to 1,048,576
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder payloadLimit(int bytes);

    /**
     * Sets the codec that writes the values of typed tasks as payloads and reads them for typed
     * handlers; none by default. Add {@code dev.rota:rota-jackson} and give it {@code
     * JacksonCodec.create()} for JSON. Values of type {@code String} need no codec.
     *
     * @param codec the codec
     * @return this builder
     * @see Kind
     */
    Builder payloadCodec(PayloadCodec codec);

    /**
     * Sets the retry policy of {@link Batch#fail(Task, Throwable)} and of workers without a policy
     * of their own; {@link RetryPolicy#defaults()} by default.
     *
     * @param policy the policy
     * @return this builder
     */
    Builder retry(RetryPolicy policy);

    /**
     * Sets the size of the pool that Rota creates from a JDBC URL; 10 by default. Ignored with a
     * pool of the host.
     *
     * @param connections 2 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder poolSize(int connections);

    /**
     * Sets the share of a claim for the priorities of a tenant below its highest pending one; 0.1
     * by default. It keeps low priorities from starving. The lower priorities take turns, and the
     * share that they do not use goes to the highest. Zero serves them only when all higher ones
     * are empty.
     *
     * @param share 0 to 0.5
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder lowerLanesShare(double share);

    /**
     * Sets the archive to which daemons move old history, so that {@link History#page}, {@link
     * History#count}, {@link History#scanErrorGroups} and {@link History#scanAttempts} read it as
     * well. None by default: archived history is then missing from the results. {@link
     * ArchiveUse#missed} reports this to the caller; calls whose result has no such field log a
     * warning. Rota does not close the archive.
     *
     * @param archive the archive
     * @return this builder
     */
    Builder archive(HistoryArchive archive);

    /**
     * Sets how many stack frames of the application are kept and logged with the error of a failed
     * attempt; 10 by default, zero for none. They run from the throwing frame to the handler,
     * without those of the JDK and of Rota. They include those of causes, and take 4 KiB at most.
     *
     * @param frames 0 to 100
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder stackFrames(int frames);

    /**
     * Adds an observer that is told what happens to tasks, for metrics and tracing; without one
     * Rota measures nothing. Workers and daemons over this Rota tell it too. {@code
     * dev.rota:rota-micrometer} and {@code dev.rota:rota-opentelemetry} have one each.
     *
     * @param observer the observer
     * @return this builder
     */
    Builder observer(TaskObserver observer);

    // rare

    /**
     * Sets the first key of Rota's advisory locks in the two-integer key space; 1,919,906,913 by
     * default. Change it if another program in this database uses the same key. A schema other than
     * {@code rota} adds the CRC-32 of its name, so that schemas share no locks.
     *
     * @param namespace any number
     * @return this builder
     */
    Builder lockNamespace(int namespace);

    /**
     * Sets how soon this process sees registry changes of other processes; 1 second by default.
     *
     * @param interval 100 milliseconds to 1 minute
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder registryRefresh(Duration interval);

    /**
     * Sets whether processes wake each other by NOTIFY; true by default. A process with workers
     * then keeps one connection for listening. Disable it behind a pooler in transaction mode;
     * workers then find work by polling alone.
     *
     * @param enabled whether to use NOTIFY and LISTEN
     * @return this builder
     */
    Builder doorbell(boolean enabled);

    /**
     * Sets the longest that one statement of Rota may run, except reads of history; 60 seconds by
     * default.
     *
     * @param timeout 1 second to 1 hour
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder statementTimeout(Duration timeout);

    /**
     * Sets how many bytes of unfinished asynchronous enqueues may be held in memory before {@link
     * Tenant#enqueueAsync} blocks; 64 MiB by default.
     *
     * @param bytes at least 1,048,576
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder asyncMemory(long bytes);

    /**
     * Builds the Rota without connecting to the database.
     *
     * @return a Rota, to be closed by the caller
     * @throws IllegalArgumentException if the JDBC URL is malformed, or if no driver accepts it
     */
    Rota build();
  }

  /**
   * Administration of the schema: migrations, roles, preflight.
   *
   * @return the administration
   */
  Admin admin();

  /**
   * Returns the audit, in which tools record what people change.
   *
   * @return the audit
   */
  AuditLog audit();

  /**
   * Returns reads across all tenants, for dashboards and reports.
   *
   * @return the reads, always the same object
   */
  Insight insight();

  /**
   * Runs work of the calling thread, none of whose statements may take longer than a limit, for
   * pages that people wait for. It waits no longer for a connection of a pool that Rota made.
   * Shorter limits of Rota's own stay in force. What other threads do, such as an asynchronous
   * enqueue, is not limited, nor is a transaction that the caller has begun.
   *
   * @param <T> the type of the result
   * @param longest 1 millisecond to 1 hour
   * @param work what to run, once; it throws {@link DatabaseException} where a statement or a
   *     connection takes longer
   * @return the result of the work
   * @throws IllegalArgumentException if the limit is out of range
   */
  <T> T withStatementLimit(Duration longest, Supplier<T> work);

  /**
   * Metering: what each tenant used in each hour.
   *
   * @return the metering
   */
  Metering metering();

  /**
   * The registry of tenants.
   *
   * @return the registry
   */
  Tenants tenants();

  /**
   * The rules of scopes: weights, pauses and plans, which change at run time.
   *
   * @return the controls
   */
  Controls controls();

  /**
   * Creates a builder of a worker.
   *
   * @return the builder
   * @throws RotaClosedException if this Rota was closed, or is being closed
   */
  Worker.Builder worker();

  /**
   * Stops all activity: closes workers that are still open, flushes asynchronous enqueues, hands
   * back open batches, and closes the pool if it is Rota's own. Idempotent.
   *
   * <p>No worker starts or claims any more. Running handlers finish, and use this Rota until then;
   * after that it refuses further calls. {@link Worker#close(Duration)} in another thread limits
   * the wait for them.
   *
   * <p>If the database is not available, it gives up handing back after ten seconds: other
   * processes take the batches over when the lease is over.
   *
   * @throws IllegalStateException if a handler of one of its workers calls it, which would wait for
   *     itself
   */
  @Override
  void close();
}
