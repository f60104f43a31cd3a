package dev.rota.internal.db;

import java.time.Duration;

/**
 * What every transaction of Rota sets for itself, on a pool of its own and on the host's alike.
 *
 * <p>JIT is off: up to PostgreSQL 17 a sequential scan that is disabled counts as so expensive that
 * even one of an empty table is compiled first, for 50 ms.
 *
 * <p>{@code enable_seqscan = off} must hold whenever a claim is planned (see {@link
 * RingSql#CLAIM}), and READ COMMITTED whenever something waits for a lock and then looks.
 *
 * @param lockTimeout the longest wait for a lock
 * @param statementTimeout the longest run of a statement
 * @param seqScans whether whole tables are read: never on the hot path
 */
public record TransactionSettings(
    Duration lockTimeout, Duration statementTimeout, boolean seqScans) {

  private static final String ISOLATION = "set transaction isolation level read committed";

  // A path is left as it is unless something in it comes before pg_catalog: from PostgreSQL 18 on
  // the driver throws away all prepared statements of a connection whenever its path changes.
  // Measured with claims of 10 tasks: 2.3 ms each then, 0.9 ms with the path left alone.
  private static final String PINS =
      """
      select set_config('enable_seqscan', '%s', true), set_config('jit', 'off', true),
             set_config('lock_timeout', '%d', true), set_config('statement_timeout', '%d', true),
             set_config('search_path',
                        case when path ~ ', *"?pg_catalog' then 'pg_catalog' else path end, true)
        from current_setting('search_path') as path""";

  /** For the hot path. */
  public TransactionSettings(Duration lockTimeout, Duration statementTimeout) {
    this(lockTimeout, statementTimeout, false);
  }

  /** For statements that read whole tables. */
  public TransactionSettings forReading(Duration timeout) {
    return new TransactionSettings(lockTimeout, timeout, true);
  }

  /** The same with another limit for waiting for locks. */
  public TransactionSettings withLockTimeout(Duration timeout) {
    return new TransactionSettings(timeout, statementTimeout, seqScans);
  }

  String prologue() {
    return ISOLATION + ";\n" + pins();
  }

  /** A query that puts the settings in force again after others used the transaction. */
  public String pins() {
    return PINS.formatted(
        seqScans ? "on" : "off", lockTimeout.toMillis(), statementTimeout.toMillis());
  }
}
