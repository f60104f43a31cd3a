package dev.rota.crash.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.points.PointsEnvironment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs random operations on a tenant in random order: Rota always agrees with its model. */
@CrashTest
@ParameterizedClass
@MethodSource("versions")
class RandomModelTest {

  private static final int COMMANDS = 40;

  @Parameter int major;

  private PointsEnvironment server;

  static IntStream versions() {
    return CrashRun.isSoak() ? IntStream.rangeClosed(15, 18) : IntStream.of(18);
  }

  @BeforeEach
  void open() throws Exception {
    server = new PointsEnvironment(major);
  }

  @AfterEach
  void close() throws Exception {
    server.close();
  }

  @Test
  void rotaIsWhereItsModelIs() throws Exception {
    int sequences = CrashRun.size(300, 20_000);
    LockStep lockStep = new LockStep(server, ModelAssumptions.DOCUMENTED);
    Map<String, Integer> commands = new TreeMap<>();
    for (int i = 0; i < sequences; i++) {
      // A sequence is made of the seed and its own number alone, so that it can be run by itself.
      Random random = new Random(CrashRun.seed() * 1_000_003 + i);
      List<Command> sequence = new Generator(random).sequence(COMMANDS);
      sequence.forEach(each -> commands.merge(each.getClass().getSimpleName(), 1, Integer::sum));
      lockStep.check("sequence " + i + " of seed " + CrashRun.seed(), sequence);
    }
    CrashRun.record(
        "random-model-" + major,
        Map.of(
            "sequences", sequences,
            "commands", sequences * COMMANDS,
            "commandsByName", commands));
  }

  /** A model that is wrong in one rule, found and shrunk to the three commands that show it. */
  @Test
  void aWrongRuleIsShrunkToTheCommandsThatShowIt() {
    LockStep lockStep = new LockStep(server, new ModelAssumptions(true));
    Random random = new Random(7);
    List<Command> failing =
        IntStream.range(0, 50)
            .mapToObj(i -> new Generator(random).sequence(COMMANDS))
            .filter(sequence -> lockStep.run(sequence).isPresent())
            .findFirst()
            .orElseThrow();
    List<Command> smallest = lockStep.shrink(failing);
    assertThat(smallest).hasSize(3);
    assertThat(smallest.get(0).getClass().getSimpleName()).startsWith("Enqueue");
    assertThat(smallest.get(1)).isEqualTo(new Command.Claim(1));
    assertThat(smallest.get(2)).isEqualTo(new Command.Settle(0, List.of(ModelOutcome.RELEASE)));
  }
}
