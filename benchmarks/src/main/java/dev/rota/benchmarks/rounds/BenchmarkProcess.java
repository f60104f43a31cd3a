package dev.rota.benchmarks.rounds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a benchmark of this version, or of another one, in a process of its own.
 *
 * @param serverUrl the server of all processes
 * @param jvmOptions options of the JVM
 */
record BenchmarkProcess(String serverUrl, List<String> jvmOptions) {

  private static final String MAIN = "dev.rota.benchmarks.Main";
  private static final int LAST_LINES = 30;

  /**
   * Runs JMH.
   *
   * @param options the options of JMH
   * @return the figures of each benchmark and each set of parameters
   * @throws IllegalStateException if it failed, with the end of its output
   */
  List<BenchmarkFigures> run(Variant variant, List<String> options)
      throws IOException, InterruptedException {
    Path results = Files.createTempFile("rota-rounds-", ".json");
    Path log = Files.createTempFile("rota-rounds-", ".log");
    try {
      List<String> command = command(variant);
      command.addAll(variant.select(options));
      command.addAll(List.of("-foe", "true", "-rf", "json", "-rff", results.toString()));
      int code = run(command, log);
      List<BenchmarkFigures> figures = code == 0 ? read(results) : List.of();
      if (figures.isEmpty()) {
        throw new IllegalStateException(
            "the benchmark of " + variant.label() + " failed:\n" + lastLines(log));
      }
      return figures;
    } finally {
      Files.delete(results);
      Files.delete(log);
    }
  }

  private List<String> command(Variant variant) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-Djdbc.url=" + serverUrl);
    command.add("-cp");
    command.add(variant.jar().map(Path::toString).orElse(System.getProperty("java.class.path")));
    command.add(MAIN);
    return command;
  }

  private static int run(List<String> command, Path log) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      return process.waitFor();
    } finally {
      process.destroy();
    }
  }

  /** Reads results of JMH; its file is empty if no benchmark has run. */
  private static List<BenchmarkFigures> read(Path results) throws IOException {
    List<BenchmarkFigures> figures = new ArrayList<>();
    for (JsonNode result : JsonMapper.builder().build().readTree(results.toFile())) {
      figures.add(BenchmarkFigures.of(result));
    }
    return figures;
  }

  private static String lastLines(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }
}
