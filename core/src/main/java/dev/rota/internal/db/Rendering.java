package dev.rota.internal.db;

import org.jooq.DSLContext;
import org.jooq.QueryPart;
import org.jooq.SQLDialect;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/** Rota's own jOOQ settings. Those of the host are never used: some render names without quotes. */
final class Rendering {

  private static final DSLContext CONTEXT = DSL.using(SQLDialect.POSTGRES, settings());

  static {
    Greeting.suppress(settings());
  }

  private Rendering() {}

  static Settings settings() {
    return new Settings()
        .withRenderQuotedNames(RenderQuotedNames.ALWAYS)
        .withExecuteLogging(false)
        .withRenderCatalog(false);
  }

  static String sql(QueryPart part) {
    return CONTEXT.render(part);
  }
}
