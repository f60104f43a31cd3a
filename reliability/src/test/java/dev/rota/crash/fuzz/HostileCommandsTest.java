package dev.rota.crash.fuzz;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.CrashTest;
import dev.rota.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Passes the known hostile texts to every command; {@link HostileTextsTest} passes each to one. */
@CrashTest
class HostileCommandsTest {

  @Test
  void eachIsTakenOrRefused() {
    List<String> texts = HostileTexts.all().stream().filter(text -> text.length() < 300).toList();
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      Tenant tenant = rota.tenants().register(EntryPoints.TENANT);
      CommandWays commands = new CommandWays(database.jdbcUrl(), tenant);
      texts.forEach(commands::everyCommand);
    }
  }
}
