package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests which logins can create the roles, and the messages for those that cannot. */
@ParameterizedClass
@ChosenVersions
class RoleSetupTest {

  @Parameter int major;

  private RolesFixture fixture;

  @BeforeEach
  void open() {
    fixture = RolesFixture.onVersion(major);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  @Tag("exhaustive")
  void noSuperuserIsNeeded() throws SQLException {
    fixture.login("migrator", "createrole");
    fixture
        .database()
        .execute(
            "alter database "
                + fixture.database().name()
                + " owner to "
                + fixture.login("migrator"));
    try (Rota rota = fixture.rota("migrator")) {
      rota.admin().migrate();
      Tenant before = RotaFixture.tenant(rota, "before");
      rota.admin().migrate(fixture.roles());
      Tenant after = RotaFixture.tenant(rota, "after");
      assertThat(before.enqueue(NewTask.of("k", "{}"))).isNotEqualTo(after.number());
      rota.admin().migrate(fixture.roles());
    }
    assertThat(
            fixture.texts(
                "select nspowner::regrole::text from pg_namespace where nspname ~ '^rota'"
                    + " order by nspname"))
        .containsExactly(
            fixture.roles().owner(), fixture.roles().daemon(), fixture.roles().daemon());
  }

  @Test
  void saysWhoCanMakeThem() throws SQLException {
    fixture.login("nobody", "");
    try (Rota rota = fixture.rota("nobody")) {
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> rota.admin().migrate(fixture.roles()))
          .withMessageStartingWith("make the roles: ")
          .withMessageContaining("permission denied")
          .withMessageContaining("a superuser can");
    }
    assertThat(
            fixture.texts(
                "select 1 from pg_roles where rolname = '" + fixture.roles().owner() + "'"))
        .isEmpty();
  }

  @Test
  void refusesARoleThatNoGrantLimits() throws SQLException {
    fixture.database().execute("create role " + fixture.roles().reader() + " superuser");
    try (Rota rota = Rota.connect(fixture.database().jdbcUrl())) {
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> rota.admin().migrate(fixture.roles()))
          .withMessageContaining("role " + fixture.roles().reader())
          .withMessageContaining("is a superuser");
    }
  }

  @Test
  @Tag("exhaustive")
  void severalProcessesMayDoItAtOnce() throws Exception {
    try (Rota one = Rota.connect(fixture.database().jdbcUrl());
        Rota other = Rota.connect(fixture.database().jdbcUrl())) {
      one.admin().migrate();
      one.tenants().register("acme");
      CompletableFuture<Void> both =
          CompletableFuture.allOf(
              InBackground.run(() -> one.admin().migrate(fixture.roles())),
              InBackground.run(() -> other.admin().migrate(fixture.roles())));
      both.get(60, TimeUnit.SECONDS);
    }
    fixture.login("application", "in role " + fixture.roles().application());
    try (Rota rota = fixture.rota("application")) {
      assertThat(rota.tenants().get("acme").enqueue(NewTask.of("k", "{}"))).isPositive();
    }
  }
}
