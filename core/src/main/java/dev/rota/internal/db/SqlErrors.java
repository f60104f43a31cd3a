package dev.rota.internal.db;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.SchemaMissingException;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;

/** Tells the driver's exceptions apart, and turns them into Rota's, which say what to do. */
public final class SqlErrors {

  /** The state of a transaction that met a change made since its snapshot. */
  public static final String NOT_SERIALIZABLE = "40001";

  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_COLUMN = "42703";
  private static final String UNDEFINED_STATEMENT = "26000";
  private static final String UNDEFINED_SCHEMA = "3F000";
  private static final String OUT_OF_MEMORY = "53200";
  private static final String INVALID_VALUE = "22023";
  private static final String SILENT_FOR_TOO_LONG = "25P03";

  /** The state of a {@code transaction_timeout}, which a user can set from PostgreSQL 17. */
  private static final String OPEN_FOR_TOO_LONG = "25P04";

  private static final String NOT_CONNECTED = "08001";
  private static final String CONNECTION_LOST = "08006";

  private static final String QUERY_CANCELED = "57014";
  private static final String IDLE_IN_TRANSACTION = "25P03";

  private static final Set<String> LOCK_CONFLICTS = Set.of("55P03", "40P01");

  private static final Set<String> EXHAUSTIONS = Set.of("53100", OUT_OF_MEMORY);

  private static final Set<String> PASSES_SOON = Set.of("57P01", "57P02", "57P03", "53300");

  private static final Set<String> GOING_AWAY =
      Set.of("57P01", "57P02", "57P03", "53300", "25006", SILENT_FOR_TOO_LONG, OPEN_FOR_TOO_LONG);

  private SqlErrors() {}

  /** Whether a table or schema that the statement names does not exist. */
  public static boolean isMissingTable(Throwable e) {
    return UNDEFINED_TABLE.equals(state(e)) || UNDEFINED_SCHEMA.equals(state(e));
  }

  /** Whether a prepared statement that the connection should have is missing. */
  public static boolean isMissingStatement(SQLException e) {
    return UNDEFINED_STATEMENT.equals(e.getSQLState());
  }

  /** A lock was not to be had in time, or two transactions waited for each other. */
  public static boolean isLockConflict(Throwable e) {
    return LOCK_CONFLICTS.contains(state(e));
  }

  /**
   * Whether a look with little patience ended early: it took long, met a lock, found no table, or
   * its process stalled within the transaction.
   */
  static boolean isCutShort(Throwable e) {
    return isCanceled(e)
        || isLockConflict(e)
        || isMissingTable(e)
        || IDLE_IN_TRANSACTION.equals(state(e));
  }

  /** The statement took longer than it may, or was ended from outside. */
  public static boolean isCanceled(Throwable e) {
    return QUERY_CANCELED.equals(state(e));
  }

  /** The server has no room on its disk, or in its memory, which may be had later. */
  public static boolean isExhausted(Throwable e) {
    return EXHAUSTIONS.contains(state(e));
  }

  /** Whether a function refused one of its values. */
  public static boolean isInvalidValue(Throwable e) {
    return INVALID_VALUE.equals(state(e));
  }

  /** The state that the server has given, if this is its refusal of a statement; or nothing. */
  private static String state(Throwable e) {
    Throwable refusal = e instanceof DatabaseException ? e.getCause() : e;
    return refusal instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
  }

  /** The database went away; others fare no better, and trying later may help. */
  public static boolean isConnectionLoss(Throwable e) {
    return e instanceof DatabaseException failure && failure.unavailable();
  }

  /** Others fare no better, or what they want may be done already. */
  static boolean isNotToRepeat(RuntimeException e) {
    return e instanceof DatabaseException failure
        && (failure.unavailable() || failure.outcomeUnknown());
  }

  /**
   * Whether the server refused a transaction for what is in it, so that nothing of it is done and
   * the same would be refused again. Locks of others and a lack of room pass.
   */
  public static boolean isRefusal(Throwable e) {
    return e instanceof DatabaseException failure
        && !isNotToRepeat(failure)
        && !isLockConflict(e)
        && !isExhausted(e);
  }

  /**
   * A copy for one of several callers of the same transaction, so that each has a trace of its own.
   */
  public static DatabaseException inThisThread(DatabaseException shared) {
    return new DatabaseException(
        String.valueOf(shared.getMessage()), shared, shared.unavailable(), shared.outcomeUnknown());
  }

  /**
   * Whether a value in a row is one that the statement or the protocol cannot carry: class 22, a
   * limit of the server, a gigabyte.
   */
  public static boolean isAboutContent(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return state.startsWith("22")
        || state.startsWith("54")
        || String.valueOf(e.getMessage()).contains("invalid memory alloc request size");
  }

  /**
   * Whether the answer fits neither into the memory of this process, as reported by the driver, nor
   * into that of the server.
   */
  public static boolean isOutOfMemory(SQLException e) {
    return OUT_OF_MEMORY.equals(e.getSQLState()) || e.getCause() instanceof OutOfMemoryError;
  }

  /** Creates the exception for an error that the driver does not report as one. */
  public static SQLException outOfMemory(OutOfMemoryError e) {
    return new SQLException("the claimed tasks do not fit into memory", OUT_OF_MEMORY, e);
  }

  /** Whether the server does not support the statement; the connection is in order. */
  public static boolean isUnsupported(SQLException e) {
    return "0A000".equals(e.getSQLState());
  }

  /** Whether the role lacks a right. */
  public static boolean isForbidden(SQLException e) {
    return "42501".equals(e.getSQLState());
  }

  /**
   * Whether the connection is gone, or the server takes no work at present. A server may go down
   * with an error of its own, such as when it cannot write its log. The driver then reports that
   * error first and the end of the connection after it.
   */
  public static boolean isUnavailable(SQLException e) {
    for (SQLException each = e; each != null; each = each.getNextException()) {
      if (isGone(each)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Creates the exception for a call on a connection that a pool has closed after a loss. The
   * pool's own names no reason.
   */
  public static SQLException lostConnection(SQLException e) {
    return new SQLException("the connection was lost", CONNECTION_LOST, e);
  }

  /**
   * Whether a login failed for a reason that is known to pass soon. The server starts or stops, all
   * its connections are taken, or no host of several is the primary yet. For that last reason alone
   * the driver names no cause.
   */
  public static boolean isAboutToEnd(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return PASSES_SOON.contains(state) || (NOT_CONNECTED.equals(state) && e.getCause() == null);
  }

  private static boolean isGone(SQLException e) {
    String state = e.getSQLState();
    return e instanceof SQLTransientConnectionException
        || (state != null && (state.startsWith("08") || GOING_AWAY.contains(state)));
  }

  /** Returns the driver's exception behind jOOQ's. */
  public static SQLException unwrap(DataAccessException e) {
    SQLException cause = e.getCause(SQLException.class);
    return cause == null ? new SQLException(e.getMessage(), e) : cause;
  }

  /** Statements that may fail. */
  @FunctionalInterface
  interface SqlWork<T> {
    T run() throws SQLException;
  }

  /** Runs statements, and translates a failure of the driver or of jOOQ. */
  static <T> T translating(String purpose, SqlWork<T> statements) {
    try {
      return statements.run();
    } catch (DataAccessException e) {
      throw translate(purpose, unwrap(e));
    } catch (SQLException e) {
      throw translate(purpose, e);
    }
  }

  /** Translates the failure of a call that was not committed. */
  public static RotaException translate(String purpose, SQLException e) {
    return translate(purpose, e, false);
  }

  /** Translates the failure of a call; if it failed at COMMIT, its outcome may be unknown. */
  static RotaException translate(String purpose, SQLException e, boolean atCommit) {
    boolean unavailable = isUnavailable(e);
    NoConnectionException unreached = NoConnectionException.in(e);
    if (unreached != null) {
      return new DatabaseException(purpose + ": " + firstLineOf(unreached), e, unavailable, false);
    }
    String reason = reason(e);
    // The server ended this transaction before the COMMIT came.
    boolean knownNotDone = SILENT_FOR_TOO_LONG.equals(e.getSQLState());
    if (unavailable && atCommit && !knownNotDone) {
      return new DatabaseException(
          purpose
              + ": the connection broke at COMMIT; the work may or may not be done ("
              + reason
              + ")",
          e,
          true,
          true);
    }
    if (unavailable) {
      return new DatabaseException(
          purpose + ": the database is not available (" + reason + ")", e, true, false);
    }
    String advice = NOT_SERIALIZABLE.equals(e.getSQLState()) ? "; repeat the transaction" : "";
    return new DatabaseException(
        purpose + ": the database refused (" + reason + ")" + advice, e, false, false);
  }

  /**
   * Creates the exception for a missing registry: the migration has not run, or ran for another
   * schema name.
   */
  public static SchemaMissingException schemaMissing(String schema) {
    return new SchemaMissingException(
        "schema \""
            + schema
            + "\" of this database has no tables of Rota, or older ones: call Rota.migrate() or run"
            + " `rota migrate`");
  }

  /** Whether the registry itself, not a tenant's table, is missing or outdated. */
  public static boolean isMissingRegistry(SQLException e) {
    return isMissingTable(e) || UNDEFINED_COLUMN.equals(e.getSQLState());
  }

  /**
   * The reason of a failure. A pool hides why there is no connection behind an exception of its
   * own.
   */
  private static String reason(SQLException e) {
    Throwable root = e;
    for (Throwable cause = e; cause != null && isUnavailable(e); cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        root = cause;
      }
    }
    return firstLine(root.getMessage());
  }

  /** The first line of an error message. */
  public static String firstLineOf(Throwable e) {
    return firstLine(e.getMessage());
  }

  private static String firstLine(@Nullable String message) {
    return message == null
        ? "no message"
        : SafeText.whole(message.lines().findFirst().orElse("no message"));
  }
}
