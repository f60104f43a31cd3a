package dev.rota.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Executions of real workflows, published by the WfCommons project. They are no part of this
 * project: the environment variable ROTA_WORKFLOWS names their folder.
 */
public final class WorkflowFiles {

  private static final Path BESIDE_THE_PROJECT = Path.of("..", "..", "shared", "workflows");

  private WorkflowFiles() {}

  /** Skips the test if there are none. */
  public static List<Path> real() {
    String named = System.getenv("ROTA_WORKFLOWS");
    Path folder = named == null ? BESIDE_THE_PROJECT : Path.of(named);
    Assumptions.assumeTrue(
        Files.isDirectory(folder),
        "no real workflows on this machine: ROTA_WORKFLOWS names no folder that has them");
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A small one, in the same format: a diamond with a tail, children before their parents. */
  public static Path small(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("small.json"),
        """
        {"name": "small", "workflow": {"makespanInSeconds": 1, "tasks": [
          {"name": "tail", "parents": ["join"], "runtimeInSeconds": 0.1, "category": "t"},
          {"name": "join", "parents": ["left", "right", "ID4"], "category": "j"},
          {"name": "left", "parents": ["split"]},
          {"name": "right", "id": "ID4", "parents": ["split", "split"]},
          {"name": "split", "parents": []}]}}
        """);
  }
}
