package dev.rota.crash.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.processes.ProcessLogs;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests texts that Jazzer generates, guided by the branches of Rota that they reach and by its
 * hooks. The hooks report statements that a text breaks, and files that it opens.
 *
 * <p>A failure keeps the input; {@code -Drota.crash.fuzz.input=...} with the printed file plays
 * that input alone.
 */
@CrashTest
class FuzzTest {

  private static final String INPUT = "rota.crash.fuzz.input";
  private static final String REPEATED = System.getProperty(INPUT, "");
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second");
  private static final Pattern KEPT = Pattern.compile("Test unit written to (\\S+)");
  private static final int OVERTIME_SECONDS = 120;

  @TempDir Path folder;

  @Test
  void noTextDoesMoreThanBeTakenOrRefused() throws Exception {
    if (!REPEATED.isEmpty()) {
      String unused = run(0, REPEATED);
      return;
    }
    int seconds = CrashRun.size(90, 1_800);
    String said = run(seconds, "-max_total_time=" + seconds, corpus().toString());
    Matcher done = DONE.matcher(said);
    assertThat(done.find()).as(said).isTrue();
    long runs = Long.parseLong(done.group(1));
    assertThat(runs).as(said).isGreaterThan(HostileTexts.all().size());
    CrashRun.record("fuzz", Map.of("runs", runs, "seconds", Long.parseLong(done.group(2))));
  }

  /** Returns what Jazzer has said, if it has found nothing. */
  private String run(int seconds, String... arguments) throws Exception {
    Path output = folder.resolve("output");
    try (TestDatabase database = TestDatabase.create()) {
      Process fuzzer = start(database.jdbcUrl(), output, arguments);
      boolean ended = fuzzer.waitFor(seconds + OVERTIME_SECONDS, TimeUnit.SECONDS);
      fuzzer.destroyForcibly();
      String said = Files.readString(output);
      assertThat(ended).as(said).isTrue();
      assertThat(fuzzer.exitValue()).withFailMessage(() -> said + repetition(said)).isZero();
      return said;
    }
  }

  /** The last one that was kept: those before it were slow, and no more. */
  private static String repetition(String said) {
    return KEPT.matcher(said)
        .results()
        .map(kept -> kept.group(1))
        .reduce((earlier, later) -> later)
        .map(input -> CrashRun.command(FuzzTest.class) + " -D" + INPUT + "=" + input)
        .map(command -> "To repeat with this input alone: " + command)
        .orElse("");
  }

  /** The known ones come first, so that the fuzzer begins where they end. */
  private Path corpus() throws IOException {
    Path corpus = Files.createDirectory(folder.resolve("corpus"));
    List<String> texts = HostileTexts.all().stream().filter(text -> text.length() < 1_000).toList();
    for (int i = 0; i < texts.size(); i++) {
      byte[] text = texts.get(i).getBytes(StandardCharsets.UTF_16BE);
      byte[] input = new byte[text.length + 2];
      input[0] = (byte) i;
      input[1] = 1;
      System.arraycopy(text, 0, input, 2, text.length);
      Files.write(corpus.resolve("text-" + i), input);
    }
    return corpus;
  }

  private Process start(String url, Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx768m",
            "-D" + FuzzTarget.URL + "=" + url,
            "-Djava.io.tmpdir=" + folder,
            "-Dorg.jooq.no-logo=true",
            "-Dorg.jooq.no-tips=true",
            "-cp",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + FuzzTarget.class.getName(),
            "--instrumentation_includes=dev.rota.**",
            "--custom_hook_includes=dev.rota.**",
            // It counts every connection to the database as a finding.
            "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery",
            "-seed=" + Math.floorMod(CrashRun.seed(), Integer.MAX_VALUE),
            "-artifact_prefix=" + ProcessLogs.folder().resolve("fuzz-").toAbsolutePath(),
            "-max_len=2048",
            "-timeout=60",
            "-rss_limit_mb=0"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }
}
