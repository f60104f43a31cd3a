package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.schema.NamePatterns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that catalog queries read the catalog once, and not once for each tenant. */
@RotaTest
@Tag("exhaustive")
class PreflightCostTest {

  private static final int FEW = 100;
  private static final int TIMES = 4;

  /** A look at the index of functions for each schema would take 35; all takes 2. */
  private static final int MOST_BLOCKS_OF_A_TENANT = 10;

  private static final Pattern BLOCKS = Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)");

  private static final NamePatterns NAMES = new NamePatterns(new RegistryTables("rota"));

  @Given private RotaFixture fixture;

  @Test
  void costGrowsAsTheNumberOfYoungTenantsDoes() throws SQLException {
    makeSchemas(1, FEW);
    long rights = blocks(rights());
    long locks = blocks(locks());
    makeSchemas(FEW + 1, TIMES * FEW);
    assertThat(blocks(rights()))
        .isLessThan((TIMES + 1) * rights)
        .isLessThan(rights + TIMES * FEW * MOST_BLOCKS_OF_A_TENANT);
    assertThat(blocks(locks())).isLessThan((TIMES + 1) * locks);
  }

  /** As many objects as a tenant has, without grants, so that the catalog stays young. */
  private void makeSchemas(int from, int to) throws SQLException {
    fixture.execute(
        """
        do $$ begin
          for n in %d..%d loop
            execute format('create schema rota_%%s', n);
            execute format('create function rota_%%1$s.make(int) returns int language sql return 1;'
              ' create function rota_%%1$s.enqueue(int) returns int language sql return 1', n);
            for i in 0..9 loop
              execute format('create table rota_%%1$s.task_init_%%1$s_%%2$s ()', n, i);
            end loop;
          end loop;
        end $$"""
            .formatted(from, to));
  }

  private static String rights() {
    String schemas = NAMES.schemas();
    return bound(Sql.named("rights_of_public"), schemas, NAMES.tenantTables(), schemas, schemas);
  }

  private static String locks() {
    return bound(Sql.named("room_for_locks"), NAMES.tenantSchemas());
  }

  private static String bound(Sql statement, String... patterns) {
    String bound = statement.text();
    for (String pattern : patterns) {
      int place = bound.indexOf("~ ?") + 2;
      bound = bound.substring(0, place) + "'" + pattern + "'" + bound.substring(place + 1);
    }
    return bound;
  }

  /** In a session that plans as Rota's do. */
  private long blocks(String sql) throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      RotaFixture.texts(connection, "select set_config('enable_seqscan', 'off', false)");
      String plan =
          String.join(
              "\n",
              RotaFixture.texts(connection, "explain (analyze, buffers, format json) " + sql));
      return BLOCKS
          .matcher(plan)
          .results()
          .limit(2)
          .map(MatchResult::group)
          .map(group -> group.replaceAll("\\D", ""))
          .mapToLong(Long::parseLong)
          .sum();
    }
  }
}
