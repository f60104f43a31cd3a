package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.RolesFixture;
import dev.rota.Rota;
import dev.rota.limits.Scope;
import dev.rota.testing.Documents;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that the examples in docs/security.md are compiled, run, and suffice for each process. */
class SecurityTest {

  private static final String DOCUMENT = "docs/security.md";

  @Test
  void showsTheCompiledExample() {
    assertThat(Documents.blocks(DOCUMENT, "java"))
        .contains(
            Documents.region("core/src/test/java/dev/rota/docs/SecurityExample.java", "roles"));
  }

  @Test
  @Tag("exhaustive")
  void loginsAsDocumentedCanDoTheirPart() throws Exception {
    try (RolesFixture fixture = RolesFixture.onVersion(15).migrated()) {
      String database = fixture.database().name();
      String sql = String.join("\n", Documents.blocks(DOCUMENT, "sql logins"));
      assertThat(sql).isNotBlank();
      fixture
          .database()
          .execute(
              sql.replace(" rota_", " rota_" + database + "_")
                  .replace("_login login", "_login_" + database + " login"));
      try (Rota daemon = rota(fixture, "daemon");
          Rota application = rota(fixture, "app");
          Rota report = rota(fixture, "report");
          Rota support = rota(fixture, "support")) {
        daemon.tenants().register("acme");
        long id = application.tenants().get("acme").enqueue(NewTask.of("k", "{}"));
        assertThat(report.tenants().get("acme").history().scanAttempts(id)).hasSize(1);
        support.controls().pause(Scope.tenant("acme"), "ticket 4711");
        assertThat(support.controls().awaitQuiet(Scope.tenant("acme"), Duration.ofMinutes(1)))
            .isTrue();
      } finally {
        for (String login : List.of("daemon", "app", "report", "support")) {
          fixture.database().execute("drop role " + login + "_login_" + database);
        }
      }
    }
  }

  private static Rota rota(RolesFixture fixture, String login) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(fixture.database().jdbcUrl());
    source.setUser(login + "_login_" + fixture.database().name());
    return Rota.builder(source).build();
  }
}
