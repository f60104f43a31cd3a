package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MigrateCommandTest {

  @Test
  @Tag("exhaustive")
  void makesTheRoles() throws SQLException {
    try (TestDatabase database = TestDatabase.create()) {
      String prefix = "m_" + database.name();
      String url = database.jdbcUrl();
      try {
        Invocation call =
            Invocation.of("migrate", "--with-roles", "--role-prefix", prefix, "--jdbc-url", url);
        assertThat(call.err()).isEmpty();
        assertThat(call.out())
            .isEqualTo(
                "The schema rota is up to date, with the roles %1$s_owner, %1$s_daemon,"
                        .formatted(prefix)
                    + " %1$s_application, %1$s_reader, %1$s_operator.\n".formatted(prefix));
        database.execute("set role " + prefix + "_reader; select * from rota.tenant");
      } finally {
        for (String role : new String[] {"operator", "reader", "application", "daemon", "owner"}) {
          String name = prefix + "_" + role;
          database.execute("drop owned by " + name + " cascade; drop role " + name);
        }
      }
    }
  }

  @Test
  void wrongPrefixesAreWrongUsage() {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl();
      Invocation malformed =
          Invocation.of("migrate", "--with-roles", "--role-prefix", "A b", "--jdbc-url", url);
      assertThat(malformed.code()).isEqualTo(2);
      assertThat(malformed.err()).contains("role is 'A b_owner'");
      Invocation alone = Invocation.of("migrate", "--role-prefix", "a", "--jdbc-url", url);
      assertThat(alone.code()).isEqualTo(2);
      assertThat(alone.err()).contains("--role-prefix needs --with-roles");
    }
  }
}
