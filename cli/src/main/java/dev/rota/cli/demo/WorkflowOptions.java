package dev.rota.cli.demo;

import dev.rota.cli.common.UsageException;
import dev.rota.demo.Workflow;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that make a demo run copies of a workflow. */
final class WorkflowOptions {

  @Option(
      names = "--workflow",
      paramLabel = "FILE",
      description =
          "Run the tasks of this execution of a workflow as a graph: a JSON file in the format of"
              + " the WfCommons project.")
  private @Nullable Path file;

  @Option(
      names = "--copies",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many copies of the workflow; ${DEFAULT-VALUE} by default.")
  private int copies;

  boolean isGiven() {
    if (file == null && copies != 1) {
      throw new UsageException("--copies needs --workflow FILE");
    }
    return file != null;
  }

  int copies() {
    DemoCommand.requireInRange("--copies", copies, 1, 100_000);
    return copies;
  }

  Workflow read() {
    if (file == null || !Files.isReadable(file) || Files.isDirectory(file)) {
      throw new UsageException("the workflow " + file + " is not there, or cannot be read");
    }
    return Workflow.read(file);
  }
}
