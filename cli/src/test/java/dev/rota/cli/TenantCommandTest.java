package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.erasure.ErasureReceipt;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TenantCommandTest {

  private TestDatabase database;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void everyCommandNamesTheMissingSchema() {
    for (String command :
        new String[] {"status", "daemon", "tenant list", "tenant add x", "enqueue x k {}"}) {
      Invocation call = call(command.split(" "));
      assertThat(call.code()).as(command).isEqualTo(1);
      assertThat(call.err()).as(command).contains("run `rota migrate` first");
    }
  }

  @Test
  @Tag("exhaustive")
  void tenantsAreAddedListedRenamedClosedAndReopened() {
    assertThat(call("migrate").code()).isZero();
    assertThat(call("migrate").out()).contains("rota is up to date");
    assertThat(call("tenant", "add", "acme", "Åsa & søn").out()).contains("acme", "Åsa & søn");
    assertThat(call("tenant", "rename", "acme", "acme 2").code()).isZero();
    assertThat(call("tenant", "close", "acme 2").code()).isZero();
    assertThat(call("tenant", "list").out()).contains("closed", "acme 2", "Åsa & søn");
    assertThat(call("enqueue", "acme 2", "mail", "{}").err()).contains("acme 2", "closed");
    assertThat(call("tenant", "reopen", "acme 2").code()).isZero();
    assertThat(call("tenant", "list", "--json").out())
        .contains("\"name\":\"acme 2\",\"closed\":false");
  }

  @Test
  @Tag("exhaustive")
  void tasksAreEnqueuedFromArgumentsAndStandardInput() {
    assertThat(call("migrate").code()).isZero();
    assertThat(call("tenant", "add", "acme").code()).isZero();
    assertThat(call("enqueue", "acme", "mail", "{\"to\":1}").out()).matches("\\d+\\R");
    Invocation piped =
        Invocation.of(
            Map.of(), "{\"to\":\"Åsa\"}", "enqueue", "acme", "mail", "-", "--jdbc-url", url());
    assertThat(piped.code()).isZero();
    assertThat(call("status", "--tenant", "acme", "--json").out())
        .contains("\"pending\":2,\"waiting\":0,\"running\":0");
  }

  @Test
  @Tag("exhaustive")
  void tenantsAreErased(@TempDir Path folder) throws Exception {
    assertThat(call("migrate").code()).isZero();
    assertThat(call("tenant", "add", "acme").code()).isZero();
    assertThat(call("enqueue", "acme", "mail", "{}").code()).isZero();
    Path file = folder.resolve("receipt.json");
    Invocation unconfirmed = call("tenant", "erase", "acme", "--confirm", "acne");
    assertThat(unconfirmed.code()).isEqualTo(2);
    assertThat(unconfirmed.err()).contains("--confirm");
    String[] erase = {"tenant", "erase", "acme", "--confirm", "acme"};
    assertThat(call(erase).err()).contains("'acme' (1) is open");
    Invocation nowhere = call(with(erase, "--receipt", file.resolve("x").toString()));
    assertThat(nowhere.err()).contains("no folder");
    Invocation done = call(with(erase, "--close", "--receipt", file.toString()));
    assertThat(done.code()).as(done.err()).isZero();
    assertThat(done.out()).contains("acme is erased: 5 tables with 1 rows, 0 files");
    ErasureReceipt receipt = ErasureReceipt.parse(Files.readString(file));
    assertThat(done.out()).contains(receipt.sha256());
    assertThat(call(with(erase, "--json")).out().strip()).isEqualTo(receipt.json());
    assertThat(call(with(erase, "--receipt", file.toString())).err()).contains("exists already");
    assertThat(call("tenant", "list").out()).doesNotContain("acme");
  }

  private static String[] with(String[] call, String... more) {
    return Stream.concat(Arrays.stream(call), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  @Tag("exhaustive")
  void policiesAreShownAndChanged() {
    assertThat(call("migrate").code()).isZero();
    assertThat(call("tenant", "add", "acme", "other").code()).isZero();
    assertThat(call("tenant", "policy", "acme").out()).contains("acme keeps its history: default");
    assertThat(call("tenant", "policy", "acme", "--keep-history", "30d12h").out())
        .contains("acme keeps its history: 30d12h");
    assertThat(call("tenant", "policy", "acme", "--json").out())
        .contains("\"keepHistory\":\"PT732H\"", "\"archive\":null", "\"legalHold\":false");
    assertThat(call("tenant", "list").out())
        .containsPattern("open .* 30d12h +acme")
        .containsPattern("open .* default +other");
    assertThat(call("tenant", "list", "--json").out())
        .contains("\"keepHistory\":\"PT732H\"", "\"keepHistory\":null");
    assertThat(call("tenant", "policy", "acme", "--keep-history", "default").out())
        .contains("default");
    assertThat(
            call(
                    "tenant",
                    "policy",
                    "acme",
                    "--archive",
                    "yes",
                    "--keep-archive",
                    "365d",
                    "--legal-hold",
                    "on",
                    "--segment-age",
                    "1h",
                    "--segment-bytes",
                    "64MB")
                .out())
        .contains("archives it before it is dropped: yes")
        .contains("keeps its archive: 365d")
        .contains("legal hold: on")
        .contains("at the age of: 1h, of this size: 67,108,864 bytes");
    assertThat(call("tenant", "policy", "acme", "--archive", "default", "--json").out())
        .contains("\"archive\":null", "\"keepArchive\":\"PT8760H\"", "\"legalHold\":true");
    assertThat(call("tenant", "policy", "acme", "--legal-hold", "maybe").err())
        .contains("'maybe' is neither on nor off");
    assertThat(call("tenant", "policy", "nobody").err()).contains("nobody");
    Invocation tooLong = call("tenant", "policy", "acme", "--keep-history", "36501d");
    assertThat(tooLong.code()).isEqualTo(2);
    assertThat(tooLong.err()).contains("--keep-history", "36500 days");
    assertThat(call("tenant", "policy", "acme", "--keep-history", "long").err())
        .contains("is not a duration such as");
  }

  @Test
  @Tag("exhaustive")
  void mistakesAreNamed() {
    assertThat(call("migrate").code()).isZero();
    assertThat(call("enqueue", "nobody", "mail", "{}").err()).contains("nobody");
    assertThat(call("status", "--tenant", "nobody").err()).contains("nobody");
    assertThat(call("tenant", "add", "acme").code()).isZero();
    assertThat(call("enqueue", "acme", "bad kind!", "{}").err()).contains("kind");
    assertThat(call("enqueue", "acme", "bad kind!", "{}").code()).isEqualTo(1);
  }

  private Invocation call(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = url();
    return Invocation.of(all);
  }

  private String url() {
    return database.jdbcUrl();
  }
}
