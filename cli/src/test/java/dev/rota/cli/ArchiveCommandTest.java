package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.transfer.TransferFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands by which an operator makes archived history readable with SQL. */
@Tag("exhaustive")
class ArchiveCommandTest {

  @TempDir private Path folder;

  @Test
  void attachesAndDetaches() throws Exception {
    try (TransferFixture fixture = new TransferFixture(folder)) {
      fixture.withArchives("acme");
      String copies = copies().toString();
      String kept = fixture.kept().toString();
      assertThat(call(fixture, "attach", "acme", "--folder", copies, "--archive", kept))
          .contains("task_archive_1\" has 2 segments, 2 of them new; 0 were removed.");
      assertThat(fixture.texts("select id from rota_1.task_archive_1")).hasSize(20);
      assertThat(call(fixture, "detach", "--all", "--folder", copies, "--archive", kept))
          .contains("acme is detached.");
      assertThat(call(fixture, "attach", "--folder", copies, "--archive", kept))
          .contains("name tenants, or say --all");
      assertThat(call(fixture, "attach", "acme", "--folder", copies)).contains("--archive");
    }
  }

  @Test
  void historyReadsTheArchive() throws Exception {
    try (TransferFixture fixture = new TransferFixture(folder)) {
      fixture.withArchives("acme");
      String kept = fixture.kept().toString();
      String url = fixture.database().jdbcUrl();
      Invocation read =
          Invocation.of(
              "history", "acme", "--archive", kept, "--format", "json", "--jdbc-url", url);
      assertThat(read.all()).contains("\"state\":\"dead\"").contains("Opened tenant=1/hour=");
      assertThat(Invocation.of("history", "acme", "--jdbc-url", url).all())
          .contains("Not opened, since no --archive is given");
    }
  }

  /** A folder that the server reads as its own user. */
  private Path copies() throws Exception {
    Path copies = Files.createDirectories(folder.resolve("copies"));
    for (Path each : new Path[] {folder, copies}) {
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return copies;
  }

  /** What the command printed, on both streams. */
  private static String call(TransferFixture fixture, String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "archive";
    System.arraycopy(args, 0, all, 1, args.length);
    all[args.length + 1] = "--jdbc-url";
    all[args.length + 2] = fixture.database().jdbcUrl();
    return Invocation.of(all).all();
  }
}
