package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.BaseStatement;
import org.postgresql.core.Field;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultHandler;
import org.postgresql.jdbc.PreferQueryMode;
import org.slf4j.Logger;

/**
 * Decides whether the driver has what a {@link Pipeline} needs: classes that are not its public API,
 * and that another version may have in another form. Thread-safe.
 */
final class PipelineSupport {

  private static final Logger log = Logs.of(PipelineSupport.class);

  private static final boolean THERE = links();

  private PipelineSupport() {}

  /** Whether this version of the driver is one for which a pipeline works. */
  static boolean isThere() {
    return THERE;
  }

  /** Opens the pipeline of a connection; null if the driver may only send texts. */
  static @Nullable Pipeline open(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(BaseConnection.class)) {
      return null;
    }
    QueryExecutor executor = connection.unwrap(BaseConnection.class).getQueryExecutor();
    return executor.getPreferQueryMode() == PreferQueryMode.SIMPLE ? null : new Pipeline(executor);
  }

  private static boolean links() {
    try {
      Method unusedExecute =
          QueryExecutor.class.getMethod(
              "execute",
              Query.class,
              ParameterList.class,
              ResultHandler.class,
              int.class,
              int.class,
              int.class);
      Method unusedQuery =
          QueryExecutor.class.getMethod(
              "createQuery", String.class, boolean.class, boolean.class, String[].class);
      Method unusedRows =
          BaseStatement.class.getMethod("createDriverResultSet", Field[].class, java.util.List.class);
      return isComplete(PipelinedQuery.class) && isComplete(PipelineResults.class);
    } catch (NoSuchMethodException | LinkageError e) {
      log.debug("the driver is another version: Rota sends its statements as texts", e);
      return false;
    }
  }

  /** Whether a class has all methods that the driver's interfaces want of it. */
  static boolean isComplete(Class<?> type) {
    for (Method method : type.getMethods()) {
      if (Modifier.isAbstract(method.getModifiers())) {
        log.debug("the driver is another version: {} is new", method);
        return false;
      }
    }
    return true;
  }
}
