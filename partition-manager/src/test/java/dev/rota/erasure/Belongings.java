package dev.rota.erasure;

import dev.rota.archive.ObjectStore;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads the data of tenants in a database and its archive. */
public final class Belongings {

  private static final String LEFT =
      """
      select n.nspname || '.' || c.relname
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'rota_%1$d'
      union all select 'schema' from pg_namespace where nspname = 'rota_%1$d'
      union all select 'tenant' from rota.tenant where number = %1$d
      union all select 'batch' from rota.task_batch where tenant = %1$d
      union all select 'segment' from rota.segment where tenant = %1$d
      union all select 'schedule' from rota.schedule where tenant = %1$d
      union all select 'statistic' from rota.statistic where tenant = %1$d
      union all select 'error' from rota.tenant_error where tenant = %1$d
      union all select 'text of an error' from rota.error_statistic where error = 'only %1$d'
      union all select 'last task' from rota.error_statistic where last_tenant = %1$d
      union all select 'usage' from rota.usage where tenant = %1$d
      union all select 'audit' from rota.audit where tenant = %1$d or about = 'about %1$d'
      union all select 'rule' from rota.rule where tenant = %1$d
      union all select 'pool' from rota.assignment_pool where tenant = %1$d
      union all select 'set aside' from rota.set_aside where tenant = %1$d
      union all select 'request' from rota.cancel_request where tenant = %1$d
      union all select 'archive' from rota.archive where tenant = %1$d""";

  private final Query database;
  private final Path kept;

  /** Returns the first column of what a query returns. */
  @FunctionalInterface
  public interface Query {
    List<String> texts(String sql) throws SQLException;
  }

  /** In a database that archives into this folder. */
  public Belongings(Query database, Path kept) {
    this.database = database;
    this.kept = kept;
  }

  /** What a receipt of a tenant is to name, as it is now: tables with their rows, and objects. */
  public List<String> of(int tenant) throws SQLException {
    List<String> all = new ArrayList<>();
    String tables =
        "select 'rota_%1$d.' || relname from pg_class"
            + " where relkind = 'r' and relnamespace = 'rota_%1$d'::regnamespace";
    for (String table : database.texts(tables.formatted(tenant))) {
      all.add(table + " " + database.texts("select count(*) from " + table).get(0));
    }
    all.addAll(
        database.texts("select key || ' ' || rows from rota.archive where tenant = " + tenant));
    all.sort(null);
    return all;
  }

  /** The same, by a receipt. */
  public static List<String> of(ErasureReceipt receipt) {
    return receipt.parts().stream()
        .filter(part -> part.kind() != ErasureReceipt.Kind.REGISTRY)
        .map(part -> part.name() + " " + part.rows().orElse(-1))
        .sorted()
        .toList();
  }

  /** Names of everything in the database that has the tenant's number, and keys of its objects. */
  public List<String> leftOf(int tenant) throws Exception {
    List<String> left = new ArrayList<>(database.texts(LEFT.formatted(tenant)));
    try (ObjectStore store = ObjectStore.folder(kept)) {
      store.list("tenant=" + tenant + "/").forEach(object -> left.add(object.key()));
    }
    return left;
  }
}
