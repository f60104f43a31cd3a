package dev.rota.crash.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.model.Command.Claim;
import dev.rota.crash.model.Command.Enqueue;
import dev.rota.crash.model.Command.Promote;
import dev.rota.crash.model.Command.Settle;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests that a failing sequence becomes as small as possible, and that the same seed gives the same
 * sequence.
 */
class ShrinkerTest {

  @Test
  void whatIsNotNeededGoesAndWhatIsNeededBecomesSimple() {
    List<Command> failing = new ArrayList<>(new Generator(new Random(1)).sequence(60));
    failing.add(20, new Enqueue("b", 6, 5, true));
    failing.add(40, new Settle(3, List.of(ModelOutcome.DONE, ModelOutcome.KILL)));
    assertThat(new Shrinker(ShrinkerTest::fails, 10_000).shrink(failing))
        .containsExactly(new Enqueue("a", 3, 0, false), new Settle(0, List.of(ModelOutcome.KILL)));
  }

  /** At least three tasks at once, and later one that is killed. */
  private static boolean fails(List<Command> commands) {
    boolean many = false;
    for (Command command : commands) {
      many |= command instanceof Enqueue enqueue && enqueue.count() >= 3;
      if (many
          && command instanceof Settle settle
          && settle.outcomes().contains(ModelOutcome.KILL)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void itGivesUpAfterSoManyTries() {
    List<Command> failing = new Generator(new Random(2)).sequence(40);
    int[] tries = {0};
    Shrinker shrinker =
        new Shrinker(
            commands -> {
              tries[0]++;
              return !commands.isEmpty();
            },
            5);
    assertThat(shrinker.shrink(failing)).isNotEmpty().hasSizeLessThan(40);
    assertThat(tries[0]).isEqualTo(5);
  }

  @Test
  void theSameSeedGivesTheSameSequence() {
    assertThat(new Generator(new Random(3)).sequence(100))
        .isEqualTo(new Generator(new Random(3)).sequence(100))
        .isNotEqualTo(new Generator(new Random(4)).sequence(100));
  }

  @Test
  void aSequenceIsWrittenAsItStandsInATest() {
    assertThat(
            Command.script(
                List.of(
                    new Enqueue("a", 2, -5, false),
                    new Claim(1),
                    new Settle(0, List.of(ModelOutcome.FAIL, ModelOutcome.DONE)),
                    new Promote())))
        .isEqualTo(
            """
            List.of(
                new Enqueue("a", 2, -5, false),
                new Claim(1),
                new Settle(0, List.of(Outcome.FAIL, Outcome.DONE)),
                new Promote())""");
  }
}
