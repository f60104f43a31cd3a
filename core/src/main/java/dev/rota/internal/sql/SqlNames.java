package dev.rota.internal.sql;

import org.jooq.DSLContext;
import org.jooq.QueryPart;
import org.jooq.SQLDialect;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/** Rota's own jOOQ settings. Those of the host are never used: some render names without quotes. */
public final class SqlNames {

  private static final DSLContext CONTEXT = DSL.using(SQLDialect.POSTGRES, settings());

  static {
    Greeting.suppress(settings());
  }

  private SqlNames() {}

  public static Settings settings() {
    return new Settings()
        .withRenderQuotedNames(RenderQuotedNames.ALWAYS)
        .withExecuteLogging(false)
        .withRenderCatalog(false);
  }

  public static String sql(QueryPart part) {
    return CONTEXT.render(part);
  }
}
