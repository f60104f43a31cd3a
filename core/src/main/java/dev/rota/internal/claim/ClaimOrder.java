package dev.rota.internal.claim;

import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Determines the order in which a claim visits the slots of a tenant. Lanes go by priority, and the
 * slots of a lane in the order in which producers filled them. Where several lanes may hold tasks,
 * a part of the claim is reserved until it is known which lanes it does not reach. It is offered to
 * those, and the part that they do not take goes by priority again. Used by one thread.
 */
final class ClaimOrder {

  private final ClaimRequest request;
  private final LaneHints hints;
  private final List<Lane> lanes;
  private final int offered;
  private final Deque<Step> steps = new ArrayDeque<>();
  private @Nullable Lane reached;
  private boolean hasOffered;

  /**
   * A slot to visit; a slot may come again later.
   *
   * @param slot the slot
   * @param upTo how many tasks the claim may have in total after this step
   * @param offer whether this is part of the share of lower lanes
   */
  record Step(int slot, int upTo, boolean offer) {}

  ClaimOrder(ClaimRequest request, PriorityLanes lanes, LaneHints hints) {
    this.request = request;
    this.hints = hints;
    this.lanes = lanesIn(request, lanes.inOrder());
    this.offered = hasSeveralLanes() ? hints.lowerShare().offer(request.max()) : 0;
    this.lanes.forEach(lane -> addRing(lane, request.max() - offered, false));
  }

  boolean hasSeveralLanes() {
    return lanes.size() > 1;
  }

  List<Lane> lanes() {
    return lanes;
  }

  /** How many tasks are offered to lower lanes. */
  int offered() {
    return offered;
  }

  /**
   * The slots of a lane to visit. These are the previous and the current one, and before them the
   * next one, whose leftover tasks are the oldest of all. The next slot is usually empty. While the
   * others have enough tasks it is visited once a second, and as long as it has more.
   */
  IntStream slotsOf(Lane lane) {
    int next = TenantTables.after(lane.currentSlot());
    int previous = TenantTables.after(next);
    IntStream inOrder =
        hints.ringOf(next).mayHoldMore(next)
            ? IntStream.of(next, previous, lane.currentSlot())
            : IntStream.of(previous, lane.currentSlot(), next);
    return inOrder.filter(slot -> (request.slots() & (1 << slot)) != 0);
  }

  /**
   * Returns the next step.
   *
   * @param tasks how many tasks the claim has
   * @param finished the slots that have nothing more, as bits
   */
  @Nullable Step next(int tasks, int finished) {
    if (tasks == request.max()) {
      return null;
    }
    while (true) {
      if (steps.isEmpty()) {
        if (offered == 0 || hasOffered) {
          return null;
        }
        offer();
      }
      Step step = steps.poll();
      if (step != null && tasks < step.upTo() && (finished & (1 << step.slot())) == 0) {
        reached = step.offer() ? reached : laneOf(step);
        return step;
      }
    }
  }

  private void offer() {
    hasOffered = true;
    int highest = reached == null ? Integer.MAX_VALUE : reached.priority();
    List<Lane> below = lanes.stream().filter(lane -> lane.priority() < highest).toList();
    for (Lane lane : hints.lowerShare().inTurn(below, reached == null)) {
      addRing(lane, request.max(), true);
    }
    lanes.forEach(lane -> addRing(lane, request.max(), false));
  }

  private void addRing(Lane lane, int upTo, boolean offer) {
    slotsOf(lane).forEach(slot -> steps.add(new Step(slot, upTo, offer)));
  }

  private Lane laneOf(Step step) {
    int number = PriorityLanes.of(step.slot());
    return lanes.stream().filter(lane -> lane.number() == number).findFirst().orElseThrow();
  }

  private static List<Lane> lanesIn(ClaimRequest request, List<Lane> lanes) {
    return lanes.size() == 1
        ? lanes
        : lanes.stream().filter(lane -> (request.slots() & ringOf(lane)) != 0).toList();
  }

  private static int ringOf(Lane lane) {
    return ((1 << TenantTables.SLOTS) - 1) << (lane.number() * TenantTables.SLOTS);
  }
}
