package dev.rota.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.TenantInfo;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that tenants whose tables were made ahead are as any other one, and hidden until then. */
class ReadyTenantsTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  private static final AtomicBoolean REFUSING = new AtomicBoolean();
  private static TestDatabase database;
  private static Rota rota;

  private final ReadyTenants ready = new ReadyTenants(rota);

  /** Refuses to make tables ahead of a test. */
  private static final class Refusal implements StatementObserver {
    @Override
    public void before(String call) throws SQLException {
      if (REFUSING.get() && call.equals("begin ready tenant")) {
        throw new SQLException("refused by the test");
      }
    }
  }

  @BeforeAll
  static void open() {
    database = TestDatabase.copyOf("rota-junit", TestFixture::migrate);
    rota = RotaBuilder.build(Rota.builder(database.jdbcUrl()), new Refusal());
  }

  @AfterEach
  void end() {
    ready.close();
    REFUSING.set(false);
  }

  @AfterAll
  static void close() {
    rota.close();
    database.close();
  }

  @Test
  void aReadyTenantIsAsAnyOther() throws SQLException {
    Tenant given = ready.take("given");
    Tenant plain = rota.tenants().register("plain");
    long unused = plain.enqueue(MAIL);
    assertThat(rowsOf("tenant", "t.number", given)).isEqualTo(rowsOf("tenant", "t.number", plain));
    assertThat(rowsOf("segment", "t.tenant", given))
        .isEqualTo(rowsOf("segment", "t.tenant", plain));
    assertThat(objectsOf(given)).isEqualTo(objectsOf(plain)).isNotEmpty();
    assertThat(given.enqueue(MAIL)).isPositive();
    assertThat(given.claim(1).tasks()).hasSize(1);
  }

  private static List<String> rowsOf(String table, String number, Tenant tenant)
      throws SQLException {
    return database.texts(
        "select (to_jsonb(t) - array['number', 'tenant', 'name', 'created_at', 'opened_at',"
            + " 'rotated_at', 'lane_rotated_at'])::text from rota."
            + table
            + " t where "
            + number
            + " = "
            + tenant.number());
  }

  private static List<String> objectsOf(Tenant tenant) throws SQLException {
    return database.texts(
        "select regexp_replace(c.relname, '^(task_[a-z]+_)[0-9]+', '\\1N') || ' ' || c.relkind::text"
            + " from pg_class c where c.relnamespace = 'rota_"
            + tenant.number()
            + "'::regnamespace order by 1");
  }

  @Test
  void tablesThatAreReadyBelongToNoTenant() throws Exception {
    List<String> before = names();
    Tenant first = ready.take("first");
    Tenant second = ready.take("second");
    ready.begin();
    ready.close();
    assertThat(names()).containsAll(before).contains("first", "second").hasSize(before.size() + 2);
    assertThat(first.number()).isNotEqualTo(second.number());
    assertThat(schemas()).isGreaterThan(names().size());
  }

  private static List<String> names() {
    return rota.tenants().list().stream().map(TenantInfo::name).toList();
  }

  private static long schemas() throws SQLException {
    return database.number("select count(*) from pg_namespace where nspname ~ '^rota_[0-9]+$'");
  }

  @Test
  void aTenantThatIsThereIsTaken() {
    Tenant there = rota.tenants().register("there");
    assertThat(ready.take("there").number()).isEqualTo(there.number());
    assertThat(rota.tenants().rename("there", "elsewhere").number()).isEqualTo(there.number());
    assertThat(ready.take("elsewhere").number()).isEqualTo(there.number());
  }

  @Test
  void aTenantIsRegisteredWhereNothingIsReady() {
    Tenant first = ready.take("before the refusal");
    REFUSING.set(true);
    Tenant next = ready.take("while it refuses");
    Tenant last = ready.take("still");
    assertThat(List.of(first.number(), next.number(), last.number())).doesNotHaveDuplicates();
    assertThat(last.enqueue(MAIL)).isPositive();
  }
}
