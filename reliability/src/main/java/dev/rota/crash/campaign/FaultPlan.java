package dev.rota.crash.campaign;

import dev.rota.crash.campaign.PlannedFault.Aim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * The faults of a campaign: the same ones for the same seed. Immutable.
 *
 * <p>Kinds are drawn like cards from a deck that holds each of them as often as its weight. So
 * every kind comes before a second deck begins. The begin of a fault is counted in tasks, not in
 * seconds, so that it finds the campaign busy on a slow machine as well.
 */
record FaultPlan(List<PlannedFault> faults) {

  private static final int SHORTEST_MILLIS = 300;
  private static final int LONGEST_MILLIS = 2_500;

  FaultPlan {
    faults = List.copyOf(faults);
  }

  /**
   * Creates a plan.
   *
   * @param seed the seed of all choices
   * @param deck the kinds, each as often as its weight
   * @param count the number of faults
   * @param tasksBetween how many tasks succeed between the beginnings of two, on average
   */
  static FaultPlan of(long seed, List<FaultKind> deck, int count, int tasksBetween) {
    Random random = new Random(seed);
    List<FaultKind> kinds = new ArrayList<>();
    while (kinds.size() < count) {
      List<FaultKind> shuffled = new ArrayList<>(deck);
      Collections.shuffle(shuffled, random);
      kinds.addAll(shuffled);
    }
    List<PlannedFault> faults = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      faults.add(
          new PlannedFault(
              i + 1,
              kinds.get(i),
              random.nextInt(2 * tasksBetween),
              random.nextInt(100) < 85,
              new Aim(
                  random.nextInt(1_000),
                  SHORTEST_MILLIS + random.nextInt(LONGEST_MILLIS - SHORTEST_MILLIS))));
    }
    return new FaultPlan(faults);
  }

  @Override
  public String toString() {
    return faults.stream().map(Object::toString).collect(Collectors.joining("\n"));
  }
}
