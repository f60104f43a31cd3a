package dev.rota;

import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Opens and drops segments of history, as the daemon does. */
final class Segments {

  private static final RegistryTables TABLES = new RegistryTables("rota");
  private static final TenantDdl DDL = new TenantDdl(TABLES);

  private Segments() {}

  /** Makes claims write into this segment once they have read the registry. */
  static void open(RotaFixture fixture, Tenant tenant, int seq) throws SQLException {
    int number = tenant.number();
    List<Integer> kept = new ArrayList<>(kept(fixture, number));
    kept.add(seq);
    fixture.execute(DDL.createSegment(TABLES.tenant(number), seq));
    fixture.execute(DDL.historyView(TABLES.tenant(number), kept));
    fixture.execute(
        """
        insert into rota.segment (tenant, seq) values (%1$d, %2$d);
        update rota.tenant set current_segment = %2$d where number = %1$d"""
            .formatted(number, seq));
  }

  static void drop(RotaFixture fixture, Tenant tenant, int seq) throws SQLException {
    int number = tenant.number();
    List<Integer> kept = new ArrayList<>(kept(fixture, number));
    kept.remove(Integer.valueOf(seq));
    fixture.execute(
        DDL.historyView(TABLES.tenant(number), kept)
            + """
            ;drop table rota_%1$d.task_hist_%1$d_%2$d;
            update rota.segment set dropped_at = now() where tenant = %1$d and seq = %2$d"""
                .formatted(number, seq));
  }

  private static List<Integer> kept(RotaFixture fixture, int tenant) throws SQLException {
    return fixture
        .texts(
            "select seq from rota.segment where dropped_at is null and tenant = %d order by seq"
                .formatted(tenant))
        .stream()
        .map(Integer::valueOf)
        .toList();
  }
}
