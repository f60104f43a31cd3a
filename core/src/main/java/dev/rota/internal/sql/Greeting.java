package dev.rota.internal.sql;

import org.jooq.Log;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.tools.JooqLogger;
import org.jooq.tools.jdbc.MockConnection;
import org.jooq.tools.jdbc.MockResult;

/**
 * What jOOQ logs once in each JVM, at INFO: a logo of some twenty lines and a tip of the day when
 * it first renders, and a line about the version of the server when it first has a connection.
 */
final class Greeting {

  private Greeting() {}

  /**
   * Lets jOOQ say all of it to a connection that leads nowhere, while it logs warnings alone. What
   * jOOQ logs afterwards is up to the application.
   */
  static void suppress(Settings settings) {
    if (!JooqLogger.getLogger(Greeting.class).isInfoEnabled()) {
      return;
    }
    JooqLogger.globalThreshold(Log.Level.WARN);
    try {
      MockConnection nowhere = new MockConnection(any -> new MockResult[] {new MockResult(0)});
      int unused = DSL.using(nowhere, SQLDialect.POSTGRES, settings).execute("select 1");
    } finally {
      JooqLogger.globalThreshold(Log.Level.TRACE);
    }
  }
}
