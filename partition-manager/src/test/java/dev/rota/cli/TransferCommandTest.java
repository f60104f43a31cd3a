package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator moves a tenant. */
class TransferCommandTest {

  @TempDir private Path folder;

  @Test
  void aTenantIsExportedAndImportedUnderAnotherName() throws Exception {
    Path export = folder.resolve("export");
    Path kept = Files.createDirectory(folder.resolve("kept"));
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.migrate();
      rota.tenants().register("acme").enqueue(NewTask.of("mail", "{}"));
      assertThat(call(database, "tenant", "export", "acme", "--folder", export.toString()).out())
          .startsWith("exported tenant 'acme' (1): ")
          .contains("  1 pending");
      Invocation again = call(database, "tenant", "export", "acme", "--folder", export.toString());
      assertThat(again.code()).isEqualTo(1);
      assertThat(again.err()).contains("holds an export already");
      assertThat(call(database, "tenant", "import", "--folder", export.toString()).err())
          .contains("tenant 'acme' exists already");
      assertThat(
              call(
                      database,
                      "tenant",
                      "import",
                      "--folder",
                      export.toString(),
                      "--name",
                      "b",
                      "--archive",
                      kept.toString(),
                      "--json")
                  .out())
          .startsWith("{\"tenant\":\"b\",\"number\":")
          .contains("\"pending\":1");
      assertThat(rota.tenants().get("b").claim(5).tasks()).hasSize(1);
      assertThat(call(database, "tenant", "export", "nobody", "--folder", "x").err())
          .contains("no tenant is named 'nobody'");
    }
  }

  private static Invocation call(TestDatabase database, String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
