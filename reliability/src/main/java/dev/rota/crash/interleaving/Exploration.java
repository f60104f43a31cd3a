package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Plays one scenario in many orders: first in all orders in which actors are seldom stopped for
 * others, then in others that a seed chooses. Ends at the first that breaks a rule.
 */
public final class Exploration {

  /**
   * The least probability of a change of actors: with fewer changes, the enumeration has played the
   * order before.
   */
  private static final double LEAST_CHANGE = 0.3;

  /** The part of the plays for the enumeration; the others are chosen at random. */
  private static final double ENUMERATED = 0.7;

  /** The most preemptions in an enumerated order. */
  private static final int MOST_PREEMPTIONS = 1;

  private final InterleavingEnvironment environment;
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
   * @param reason the expected and the found state
   */
  public record Failure(String schedule, Exception reason) {}

  /** Creates an exploration of this scenario. */
  public Exploration(InterleavingEnvironment environment, Scenario scenario, long seed) {
    this.environment = environment;
    this.scenario = scenario;
    this.random = new SplittableRandom(seed ^ scenario.name().hashCode());
  }

  /**
   * Plays the scenario.
   *
   * @param orders the most different orders
   */
  public Optional<Failure> run(int orders) throws Exception {
    Optional<Failure> failure = enumerate((int) Math.ceil(orders * ENUMERATED));
    return failure.isPresent() ? failure : sample(orders);
  }

  /** The number of different orders that were played. */
  public int orders() {
    return played.size();
  }

  /** The total number of steps. */
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
    int repeatable = scenario.roles(environment).size() > 1 ? most : 0;
    while (played.size() < most && plays - played.size() < repeatable) {
      Failure failure = play(atRandom());
      if (failure != null) {
        return Optional.of(failure);
      }
    }
    return Optional.empty();
  }

  /** Creates a random chooser; some plays change actors at every step, others seldom. */
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
      environment.begin();
      environment
          .scheduler()
          .play(scenario.roles(environment), chooser, move -> environment.check(), moves);
      environment.finish();
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

  /** The number of plays, repeated ones included. */
  public int plays() {
    return plays;
  }
}
