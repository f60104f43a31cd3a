package dev.rota.cli;

import dev.rota.cli.common.UsageException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * A placeholder in the list of commands, used when the jar of the benchmarks is not on the class
 * path.
 */
@Command(
    name = AbsentBenchCommand.NAME,
    description = {
      "Measure throughput and latency end to end. Not in this jar, since it needs more libraries:"
          + " run `./rota bench` in a source checkout, or `java -cp benchmarks.jar"
          + " dev.rota.cli.RotaCommand bench`."
    })
final class AbsentBenchCommand implements Callable<Integer> {

  static final String NAME = "bench";

  @Unmatched private String[] ignored = {};

  @Override
  public Integer call() {
    throw new UsageException("bench is not in this jar but in benchmarks.jar; use `./rota bench`");
  }
}
