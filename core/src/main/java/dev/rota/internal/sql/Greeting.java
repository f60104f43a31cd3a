package dev.rota.internal.sql;

import org.jooq.Log;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.tools.JooqLogger;
import org.jooq.tools.jdbc.MockConnection;
import org.jooq.tools.jdbc.MockResult;

/**
 * Suppresses the lines that jOOQ logs once in each JVM at INFO. At its first rendering they are a
 * logo of some twenty lines and a tip of the day. At its first connection it is a line about the
 * server's version.
 */
final class Greeting {

  private Greeting() {}

  /**
   * Triggers all these lines with a connection that leads nowhere, while jOOQ logs only warnings.
   * The application controls jOOQ's later log lines.
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
