package dev.rota.crash.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that lines which a process wrote before it acknowledged them survive its kill. */
class AppendLogTest {

  @TempDir private Path directory;

  /** Writes numbered lines and says which one it has written, until it is killed. */
  static final class Writer {
    private Writer() {}

    /** Argument: the file. */
    public static void main(String[] args) throws IOException {
      PrintStream answers = JavaProcess.answers();
      try (AppendLog log = new AppendLog(Path.of(args[0]))) {
        answers.println("started");
        for (long number = 1; ; number++) {
          log.write("line " + number);
          answers.println(number);
        }
      }
    }
  }

  @Test
  void everyLineSurvivesTheKillOfItsWriter() throws Exception {
    Path file = directory.resolve("log");
    long said = 0;
    try (JavaProcess writer = JavaProcess.start(Writer.class, file.toString())) {
      for (int i = 0; i < 1_000; i++) {
        said = Long.parseLong(writer.nextLine());
      }
      writer.kill();
    }
    List<String> read = new ArrayList<>();
    LogLines.read(file, words -> read.add(words[0] + " " + words[1]));
    assertThat(read).hasSizeGreaterThanOrEqualTo((int) said);
    for (int i = 0; i < said; i++) {
      assertThat(read.get(i)).isEqualTo("line " + (i + 1));
    }
  }
}
