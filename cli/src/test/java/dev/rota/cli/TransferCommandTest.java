package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.testing.TestDatabase;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands by which an operator moves a tenant. */
@Tag("exhaustive")
class TransferCommandTest {

  @TempDir private Path folder;

  @Test
  void aTenantIsExportedAndImportedUnderAnotherName() throws Exception {
    Path export = folder.resolve("export");
    Path kept = Files.createDirectory(folder.resolve("kept"));
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
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

  @Test
  void aTenantIsRestoredFromItsArchive() throws Exception {
    try (TransferFixture fixture = new TransferFixture(folder)) {
      fixture.withArchive("acme");
      fixture.execute("delete from rota.archive");
      Path strange = fixture.kept().resolve("tenant=1/notes.txt");
      Files.writeString(strange, "hello");
      String[] restore = {"tenant", "restore", "acme", "--archive", fixture.kept().toString()};
      Invocation first = call(fixture.database(), restore);
      assertThat(first.code()).isEqualTo(1);
      assertThat(first.out()).startsWith("restored tenant 'acme' (1): ").contains("  60 archived");
      assertThat(first.err()).contains("not restored: tenant=1/notes.txt: its name is none");
      Files.delete(strange);
      Invocation again = call(fixture.database(), with(restore, "--json"));
      assertThat(again.code()).isZero();
      assertThat(again.out()).contains("\"files\":0").contains("\"problems\":[]");
      assertThat(call(fixture.database(), with(restore, "--dry-run")).out())
          .startsWith("would restore tenant 'acme'");
      assertThat(call(fixture.database(), with(restore, "--number", "9")).err())
          .contains("no files of tenant 'acme' under number 9");
    }
  }

  @Test
  void allTenantsAreRestored() throws Exception {
    try (TransferFixture fixture = new TransferFixture(folder)) {
      fixture.withArchives("acme", "beta");
      fixture.execute("delete from rota.archive");
      Path strange = fixture.kept().resolve("tenant=1/notes.txt");
      Files.writeString(strange, "hello");
      Path torn = fixture.kept().resolve("tenant=7/hour=2030-01-31T08Z/seq=1.parquet");
      Files.createDirectories(torn.getParent());
      Files.writeString(torn, "PAR1");
      String[] restore = {"tenant", "restore", "--archive", fixture.kept().toString()};
      Invocation first = call(fixture.database(), with(restore, "--all"));
      assertThat(first.code()).isEqualTo(1);
      assertThat(first.out())
          .startsWith("restored tenant 'acme' (1): 2 files")
          .contains("restored tenant 'beta' (2): 2 files");
      assertThat(first.err())
          .contains("not restored: tenant=1/notes.txt: ")
          .contains("not restored: tenant=7/: none of the files can be read");
      Files.delete(strange);
      Files.delete(torn);
      Invocation again = call(fixture.database(), with(restore, "--all", "--json"));
      assertThat(again.code()).isZero();
      assertThat(again.out())
          .startsWith("{\"tenants\":[{\"tenant\":\"acme\",\"number\":1,\"rows\":{},\"files\":0,")
          .contains("\"known\":2,\"problems\":[]}],\"problems\":[]}");
      for (String[] wrong :
          List.of(
              restore, with(restore, "acme", "--all"), with(restore, "--all", "--number", "1"))) {
        assertThat(call(fixture.database(), wrong).code()).isEqualTo(2);
      }
    }
  }

  private static String[] with(String[] args, String... further) {
    String[] all = Arrays.copyOf(args, args.length + further.length);
    System.arraycopy(further, 0, all, args.length, further.length);
    return all;
  }

  private static Invocation call(TestDatabase database, String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
