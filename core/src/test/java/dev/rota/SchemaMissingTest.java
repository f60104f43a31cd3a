package dev.rota;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every first call on a database without the schema names the remedy. */
class SchemaMissingTest {

  private static TestDatabase database;
  private static Rota rota;

  @BeforeAll
  static void open() {
    database = TestDatabase.create();
    rota = Rota.builder(database.jdbcUrl()).schema("jobs").build();
  }

  @AfterAll
  static void close() {
    rota.close();
    database.close();
  }

  static Stream<Named<Consumer<Rota>>> calls() {
    return Stream.of(
        Named.of("register", rota -> RotaFixture.tenant(rota, "acme")),
        Named.of("registerAll", rota -> rota.tenants().registerAll(List.of("acme", "apex"))),
        Named.of("list", rota -> rota.tenants().list()),
        Named.of("find", rota -> rota.tenants().find("acme")),
        Named.of("rename", rota -> rota.tenants().rename("acme", "apex")),
        Named.of("close", rota -> rota.tenants().close("acme")),
        Named.of("reopen", rota -> rota.tenants().reopen("acme")),
        Named.of(
            "enqueue", rota -> rota.tenants().get("acme").enqueue(NewTask.of("email.send", "{}"))));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void namesTheSchemaAndTheRemedy(Consumer<Rota> call) {
    assertThatExceptionOfType(SchemaMissingException.class)
        .isThrownBy(() -> call.accept(rota))
        .withMessageContaining("schema \"jobs\"")
        .withMessageContaining("Rota.migrate()")
        .withMessageContaining("`rota migrate`");
  }

  @Test
  void aSchemaOfAnOlderVersionCountsAsMissing() throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      fixture.execute("alter table rota.tenant drop column current_segment");
      assertThatExceptionOfType(SchemaMissingException.class)
          .isThrownBy(() -> fixture.rota().tenants().get("acme"))
          .withMessageContaining("older");
    }
  }

  @Test
  void aSchemaWithoutSchedulesCountsAsOlder() throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.tenant("acme");
      fixture.execute("drop table rota.schedule");
      assertThatExceptionOfType(SchemaMissingException.class)
          .isThrownBy(() -> acme.schedules().list())
          .withMessageContaining("older");
      acme.enqueue(NewTask.of("email.send", "{}"));
    }
  }

  @Test
  void aSchemaDroppedUnderATenantInUseIsReportedAsSuch() throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.tenant("acme");
      fixture.execute("drop schema rota_1 cascade; drop schema rota cascade");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> acme.enqueue(NewTask.of("email.send", "{}")))
          .withMessageContaining("does not exist");
      assertThatExceptionOfType(SchemaMissingException.class)
          .isThrownBy(() -> fixture.rota().tenants().list());
    }
  }
}
