package dev.rota.admin.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.LockRetry;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.Map;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.jooq.impl.DSL;

/** Makes the settings of each migration, in its transaction, once Flyway has made its own. */
final class MigrationSettings extends BaseCallback {

  private static final Sql PIN_MIGRATION = Sql.named("pin_migration");

  private static final String PINS =
      PIN_MIGRATION.on(
          Map.of("lock_timeout", DSL.inline(Long.toString(LockRetry.LOCK_TIMEOUT.toMillis()))));

  private final StatementObserver observer;

  MigrationSettings(StatementObserver observer) {
    this.observer = observer;
  }

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_EACH_MIGRATE;
  }

  @Override
  public boolean canHandleInTransaction(Event event, Context context) {
    return true;
  }

  @Override
  public void handle(Event event, Context context) {
    try {
      Session session = Session.inCallersTransaction(context.getConnection(), observer);
      session.run(BoundStatement.query(PIN_MIGRATION.call(), PINS, row -> row.getString(1)));
    } catch (SQLException e) {
      throw new FlywayException("the settings of a migration were refused", e);
    }
  }
}
