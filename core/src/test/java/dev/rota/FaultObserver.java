package dev.rota;

import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Faults;
import java.sql.SQLException;

/** Plays a script of faults at the calls of one {@link Rota}. */
public record FaultObserver(Faults faults) implements StatementObserver {

  @Override
  public void before(String call) throws SQLException {
    faults.beforeSending(call);
  }

  @Override
  public void after(String call) throws SQLException {
    faults.afterAnswer(call);
  }
}
