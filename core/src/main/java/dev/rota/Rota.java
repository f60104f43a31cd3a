package dev.rota;

import dev.rota.admin.Admin;
import dev.rota.history.ArchiveUse;
import dev.rota.history.History;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.RotaBuilder;
import java.time.Duration;
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
   * Over the connection pool of the host application. Rota borrows connections only for the length
   * of a transaction (and one for listening, see {@link Builder#doorbell(boolean)}), sets what it
   * needs for each transaction alone, and never closes the pool.
   *
   * @param dataSource the pool; the PostgreSQL JDBC driver must be behind it
   * @return a builder
   */
  static Builder builder(DataSource dataSource) {
    return RotaBuilder.over(dataSource);
  }

  /**
   * Over a connection pool of Rota's own, closed with it. The pool connects when it is first used.
   * A wrong host, port, database or login fails that first use at once, with a {@link
   * DatabaseException} that names host, port, database and the server's reason. A pool that has
   * connected before waits up to 10 seconds for its server to come back.
   *
   * @param jdbcUrl such as {@code jdbc:postgresql://host/database?user=...&password=...}
   * @return a builder
   */
  static Builder builder(String jdbcUrl) {
    return RotaBuilder.over(jdbcUrl);
  }

  /**
   * Over a connection pool of Rota's own, with all defaults.
   *
   * @param jdbcUrl such as {@code jdbc:postgresql://host/database?user=...&password=...}
   * @return a Rota
   * @throws IllegalArgumentException if the URL is malformed, or one that no driver knows
   */
  static Rota connect(String jdbcUrl) {
    return builder(jdbcUrl).build();
  }

  /** How to build a {@link Rota}. Not thread-safe. */
  interface Builder {

    // essential

    /**
     * The schema of the registry; {@code rota} by default. Tenants live in schemas of this name
     * with their number behind it.
     *
     * @param schema 1 to 40 characters out of {@code a-z 0-9 _}, starting with a letter and not
     *     ending in {@code _} and a number
     * @return this builder
     * @throws IllegalArgumentException if the name is malformed
     */
    Builder schema(String schema);

    // frequent

    /**
     * How long a worker may be silent before its tasks are run again by others; 30 seconds by
     * default. Heartbeats are sent five times as often.
     *
     * @param lease 1 second to 1 hour
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder lease(Duration lease);

    /**
     * The largest payload in UTF-8 bytes; 65,536 by default.
     *
     * @param bytes 1 to 1,048,576
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder payloadLimit(int bytes);

    /**
     * What {@link Batch#fail(Task, Throwable)} and workers do with a failed task unless they have a
     * policy of their own; {@link RetryPolicy#defaults()} by default.
     *
     * @param policy the policy
     * @return this builder
     */
    Builder retry(RetryPolicy policy);

    /**
     * The size of the pool that Rota makes from a JDBC URL; 10 by default. Ignored with a pool of
     * the host.
     *
     * @param connections 2 to 10,000
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder poolSize(int connections);

    /**
     * Which part of the tasks claimed from a tenant belongs to priorities below the highest one
     * that has any, so that low ones never starve; 0.1 by default. The lower ones take turns, and
     * what they do not need goes to the highest. Zero serves them only when all higher ones are
     * empty.
     *
     * @param share 0 to 0.5
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder lowerLanesShare(double share);

    /**
     * The archive that daemons move old history to, so that it can be read here as well: by {@link
     * History#page}, {@link History#count}, {@link History#scanErrorGroups} and {@link
     * History#scanAttempts}. None by default: what was archived is missing there then, which {@link
     * ArchiveUse#missed} tells the caller, or a warning in the log where there is none in the
     * result. Rota does not close it.
     *
     * @param archive the archive
     * @return this builder
     */
    Builder archive(HistoryArchive archive);

    /**
     * How many frames of the application's stack are kept with the error of a failed attempt, and
     * logged with it; 10 by default, zero for none. They go from the frame that threw to the
     * handler, without those of the JDK and of Rota, and with those of causes; 4 KiB at most.
     *
     * @param frames 0 to 100
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder stackFrames(int frames);

    // rare

    /**
     * The first key of Rota's advisory locks (the two-integer key space), to be changed if another
     * program in this database uses the same one; 1,919,906,913 by default. A schema other than
     * {@code rota} adds the CRC-32 of its name, so that schemas share no locks.
     *
     * @param namespace any number
     * @return this builder
     */
    Builder lockNamespace(int namespace);

    /**
     * How soon changes of the registry by other processes are seen; 1 second by default.
     *
     * @param interval 100 milliseconds to 1 minute
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder registryRefresh(Duration interval);

    /**
     * Whether processes wake each other by NOTIFY; true by default. A process with workers then
     * keeps one connection for listening. Switch it off behind a pooler in transaction mode; work
     * is then found by polling alone.
     *
     * @param enabled whether to use NOTIFY and LISTEN
     * @return this builder
     */
    Builder doorbell(boolean enabled);

    /**
     * The longest that one statement of Rota may run, readings of history excepted; 60 seconds by
     * default.
     *
     * @param timeout 1 second to 1 hour
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder statementTimeout(Duration timeout);

    /**
     * How much unfinished asynchronous work may be held in memory before {@link
     * Tenant#enqueueAsync} blocks; 64 MiB by default.
     *
     * @param bytes at least 1,048,576
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder asyncMemory(long bytes);

    /**
     * Builds it. Connects to nothing yet.
     *
     * @return a Rota, to be closed by the caller
     * @throws IllegalArgumentException if the JDBC URL is malformed, or one that no driver knows
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
   * The registry of tenants.
   *
   * @return the registry
   */
  Tenants tenants();

  /**
   * A builder of a worker.
   *
   * @return the builder
   */
  Worker.Builder worker();

  /**
   * Stops what runs: flushes asynchronous enqueues, closes workers that are still open, hands back
   * open batches, and closes the pool if it is Rota's own. Idempotent.
   */
  @Override
  void close();
}
