package dev.rota.internal.db;

import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.DSLContext;
import org.jooq.ExecuteContext;
import org.jooq.ExecuteListener;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;

/** Passes jOOQ's statements through the seam under the name of their kind. */
final class ObservingListener implements ExecuteListener {

  private static final long serialVersionUID = 1L;

  private final transient StatementObserver observer;
  private final transient Connection connection;

  private ObservingListener(StatementObserver observer, Connection connection) {
    this.observer = observer;
    this.connection = connection;
  }

  /** Creates jOOQ on a connection, with a listener that passes its statements through the seam. */
  static DSLContext context(Connection connection, StatementObserver observer) {
    return DSL.using(
        new DefaultConfiguration()
            .set(connection)
            .set(SQLDialect.POSTGRES)
            .set(Sql.settings())
            .set(new ObservingListener(observer, connection)));
  }

  @Override
  public void executeStart(ExecuteContext context) {
    observe(
        () -> {
          observer.before("jooq");
          observer.sending(connection);
        });
  }

  @Override
  public void executeEnd(ExecuteContext context) {
    observe(
        () -> {
          observer.answered(connection);
          observer.after("jooq");
        });
  }

  private static void observe(Observation observation) {
    try {
      observation.run();
    } catch (SQLException e) {
      throw new DataAccessException("refused by an observer", e);
    }
  }

  private interface Observation {
    void run() throws SQLException;
  }
}
