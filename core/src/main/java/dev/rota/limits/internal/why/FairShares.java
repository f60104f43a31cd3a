package dev.rota.limits.internal.why;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Divides the busy handlers among tenants as workers would: by tiers, then by weights. A tenant
 * that wants no more than it uses gets that at most; the others share the rest.
 */
public final class FairShares {

  /** The part that lower tiers get while they and the highest one want more. */
  private static final double LOWER_TIERS_SHARE = 0.1;

  private final Map<Integer, Double> due = new HashMap<>();

  private FairShares() {}

  /** The weights and tiers of tenants, by their numbers. */
  public interface Ranks {

    /** The weight of a tenant. */
    double weight(int tenant);

    /** The tier of a tenant. */
    int tier(int tenant);
  }

  /**
   * What a tenant wants.
   *
   * @param uses the handlers that it uses
   * @param more whether it wants more of them
   */
  record Want(int tenant, double weight, int tier, double uses, boolean more) {

    private double most() {
      return more ? Double.POSITIVE_INFINITY : uses;
    }
  }

  /** Something that gets a part by its weight, and no more than it wants. */
  private record Part(int key, double weight, double most) {}

  /** The handlers that are due to each tenant, of those that all of them use together. */
  static Map<Integer, Double> of(List<Want> wants) {
    FairShares shares = new FairShares();
    NavigableMap<Integer, List<Want>> tiers =
        wants.stream()
            .collect(
                Collectors.groupingBy(
                    Want::tier,
                    () -> new TreeMap<>(Comparator.reverseOrder()),
                    Collectors.toList()));
    shares.divide(tiers, wants.stream().mapToDouble(Want::uses).sum());
    return shares.due;
  }

  /** Serves the highest tier. While it wants more, the lower ones share a tenth in turns. */
  private void divide(NavigableMap<Integer, List<Want>> tiers, double handlers) {
    if (tiers.isEmpty()) {
      return;
    }
    List<Want> top = tiers.firstEntry().getValue();
    NavigableMap<Integer, List<Want>> lower = new TreeMap<>(tiers);
    lower.remove(tiers.firstKey());
    if (top.stream().anyMatch(Want::more)) {
      double below =
          lower.values().stream().flatMap(Collection::stream).mapToDouble(Want::most).sum();
      double left = Math.min(below, LOWER_TIERS_SHARE * handlers);
      divide(top, handlers - left);
      takeTurns(lower, left);
    } else {
      double used = Math.min(handlers, top.stream().mapToDouble(Want::uses).sum());
      divide(top, used);
      divide(lower, handlers - used);
    }
  }

  private void takeTurns(Map<Integer, List<Want>> tiers, double handlers) {
    List<Part> parts =
        tiers.entrySet().stream()
            .map(
                tier ->
                    new Part(
                        tier.getKey(), 1, tier.getValue().stream().mapToDouble(Want::most).sum()))
            .toList();
    fill(parts, handlers)
        .forEach((tier, part) -> divide(tiers.getOrDefault(tier, List.of()), part));
  }

  private void divide(List<Want> tenants, double handlers) {
    List<Part> parts =
        tenants.stream().map(want -> new Part(want.tenant, want.weight, want.most())).toList();
    due.putAll(fill(parts, handlers));
  }

  /** Gives in proportion to weights; what one does not want goes to the others. */
  private static Map<Integer, Double> fill(List<Part> parts, double amount) {
    List<Part> hungriestLast =
        parts.stream().sorted(Comparator.comparingDouble(part -> part.most / part.weight)).toList();
    double weights = parts.stream().mapToDouble(Part::weight).sum();
    double left = amount;
    Map<Integer, Double> given = new HashMap<>();
    for (Part part : hungriestLast) {
      double gets = Math.min(part.most, left * part.weight / weights);
      given.put(part.key, gets);
      left -= gets;
      weights -= part.weight;
    }
    return given;
  }
}
