package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Plays one scenario in many orders: first in all in which actors are seldom stopped for others,
 * then in others that a seed chooses. Ends at the first that breaks a rule.
 */
public final class Exploration {

  /** Where actors go on seldom enough, the enumeration was there before. */
  private static final double LEAST_CHANGE = 0.3;

  /** The part of the plays that the enumeration may have; the others are chosen. */
  private static final double ENUMERATED = 0.7;

  /** How often at most an actor is stopped for another one in the orders that are enumerated. */
  private static final int MOST_PREEMPTIONS = 1;

  private final InterleavingEnvironment world;
  private final Scenario scenario;
  private final SplittableRandom random;
  private final Set<Interleaving> played = new HashSet<>();
  private int plays;
  private long steps;
  private boolean complete;

  /**
   * A scenario that broke a rule.
   *
   * @param schedule the moves up to there
   * @param reason what was expected and found
   */
  public record Failure(String schedule, Exception reason) {}

  /** Over a world of this scenario. */
  public Exploration(InterleavingEnvironment world, Scenario scenario, long seed) {
    this.world = world;
    this.scenario = scenario;
    this.random = new SplittableRandom(seed ^ scenario.name().hashCode());
  }

  /**
   * Plays.
   *
   * @param orders how many different orders at most
   */
  public Optional<Failure> run(int orders) throws Exception {
    Optional<Failure> failure = enumerate((int) Math.ceil(orders * ENUMERATED));
    return failure.isPresent() ? failure : sample(orders);
  }

  /** How many different orders were played. */
  public int orders() {
    return played.size();
  }

  /** How many steps were made in all. */
  public long steps() {
    return steps;
  }

  /** Whether all orders within the bound on preemptions were played. */
  public boolean isComplete() {
    return complete;
  }

  private Optional<Failure> enumerate(int most) throws Exception {
    Enumeration enumeration = new Enumeration(MOST_PREEMPTIONS);
    do {
      Failure failure = play(enumeration);
      if (failure != null) {
        return Optional.of(failure);
      }
      complete = !enumeration.advance();
    } while (!complete && played.size() < most);
    return Optional.empty();
  }

  private Optional<Failure> sample(int most) throws Exception {
    // Where there are few orders the chosen ones were played already; one actor alone has one.
    int repeatable = scenario.roles(world).size() > 1 ? most : 0;
    while (played.size() < most && plays - played.size() < repeatable) {
      Failure failure = play(atRandom());
      if (failure != null) {
        return Optional.of(failure);
      }
    }
    return Optional.empty();
  }

  /** Some plays change actors at every step, others seldom. */
  private Chooser atRandom() {
    SplittableRandom own = random.split();
    double change = LEAST_CHANGE + own.nextDouble() * (1 - LEAST_CHANGE);
    return (moves, continuing) ->
        continuing && own.nextDouble() > change
            ? moves.get(0)
            : moves.get(own.nextInt(moves.size()));
  }

  private @Nullable Failure play(Chooser chooser) throws Exception {
    plays++;
    List<Move> moves = new ArrayList<>();
    try {
      world.begin();
      world.director().play(scenario.roles(world), chooser, move -> world.check(), moves);
      world.finish();
      return null;
    } catch (Violation e) {
      return new Failure(Interleaving.of(scenario.name(), moves).toString(), e);
    } finally {
      steps += moves.size();
      played.add(Interleaving.of(scenario.name(), moves));
    }
  }

  /** Plays the order that was printed, as far as that is possible. */
  public Optional<Failure> replay(String schedule) throws Exception {
    return Optional.ofNullable(play(Interleaving.parse(schedule).chooser()));
  }

  /** How many plays there were, repeated ones too. */
  public int plays() {
    return plays;
  }
}
