package dev.rota.internal.claim;

import dev.rota.internal.claim.ClaimMemory.LaneHints;
import dev.rota.internal.claim.ClaimMemory.LowPriorityShare;
import dev.rota.internal.claim.ClaimMemory.ScanHints;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.ClaimTerms.ClaimedRows;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.TaskExtensions;
import dev.rota.internal.settle.TaskExtensions.KnownMarks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One tenant's part of a claim: visits the slots of its rings, by priority and oldest first, until
 * it has enough or has seen everything. A statement that began with the tenant's gate proves by its
 * result that no further task was visible. Used by one thread.
 */
final class TenantClaim {

  private static final Sql MEASURE_SLOTS = Sql.named("measure_slots");

  private final ClaimRequest request;
  private final LaneHints hints;
  private final ClaimTerms terms;
  private final PriorityLanes lanes;
  private final int segment;
  private final ClaimOrder plan;
  private final Share share;
  private final ClaimedRows reader;
  private List<ClaimedTask> tasks = new ArrayList<>();
  private ClaimOrder.@Nullable Step step;
  private int limit;
  private int aside;
  private int weighedUpTo;
  private boolean stopped;
  private int finished;
  private int offersTaken;
  private final List<Integer> foundEmpty = new ArrayList<>(0);
  private boolean fromStart;
  private boolean entered;
  private boolean asked;
  private boolean sawAll = true;
  private long frontier = -1;

  TenantClaim(ClaimRequest request, LaneHints hints, ClaimTerms terms, Share share) {
    this.share = share;
    this.request = request;
    this.hints = hints;
    this.terms = terms;
    this.reader =
        new ClaimedRows(
            new ClaimedTask.Origin(request.tenant(), share.batchId(), terms.cancelCheck()),
            share.weighed());
    TenantRef.State state = request.tenant().state();
    this.lanes = state.lanes();
    this.segment = state.currentSegment();
    this.plan = new ClaimOrder(request, lanes, hints);
    lanes.all().forEach(lane -> hints.ringOf(lane.currentSlot()).follow(lane.currentSlot()));
    nextStep();
  }

  /**
   * The part of one visit in the claim.
   *
   * @param batchId the number of its batch
   * @param bytes how many bytes of payloads it may have
   * @param weighed whether the bytes are summed
   */
  record Share(long batchId, long bytes, boolean weighed) {}

  /** Whether a payload is large; if this was unexpected, the claim is repeated by weight. */
  boolean hasLarge() {
    return reader.hasLarge();
  }

  boolean isWeighed() {
    return share.weighed();
  }

  /** Lets features change tasks that have their flags. */
  void extend(Session session, TaskExtensions extensions) throws SQLException {
    if (reader.traits() != 0) {
      tasks = extensions.claimed(session, request.tenant(), segment, tasks, reader.traits());
    }
  }

  /**
   * Ends rows that cannot be run as dead in this transaction, so that they do not block the tenant.
   */
  void setAsideInvalid(Session session, TaskExtensions extensions, InvalidRows invalidRows)
      throws SQLException {
    if (!reader.hasOdd() && !hasMarked()) {
      return;
    }
    KnownMarks known =
        extensions.known(session, request.tenant(), reader.hasKeyed(), reader.traits());
    List<ClaimedTask> odd =
        tasks.stream().filter(task -> task.isOdd() || !known.allow(task)).toList();
    if (!odd.isEmpty()) {
      invalidRows.endClaimed(session, row(0, 0), request.tenant(), odd);
      aside = odd.size();
      tasks = new ArrayList<>(tasks);
      tasks.removeAll(new HashSet<>(odd));
    }
  }

  private boolean hasMarked() {
    return reader.hasKeyed() || reader.traits() != 0;
  }

  /** Records that the tenant's gate was taken before the first statement ran. */
  boolean enter() {
    entered = true;
    return true;
  }

  /** Returns the next statement, or null when the visit is over. */
  @Nullable BoundStatement<List<ClaimedTask>> nextCall() {
    if (step == null || isTurnedAway()) {
      return null;
    }
    frontier = -1;
    limit = step.upTo() - reached();
    stopped = false;
    RowId start = RowId.startOf(fromStart ? 0 : ring().start(slot()));
    String sql = terms.statement(request.tenant(), share.weighed(), slot(), segment);
    long batch = share.batchId();
    if (!share.weighed() && !terms.isNarrowed()) {
      return BoundStatement.query(ClaimTerms.CLAIM.call(), sql, this::read, start, limit, batch);
    }
    List<Object> values = new ArrayList<>(List.of(start));
    String[] kinds = terms.kindsValue();
    if (kinds != null) {
      values.add(kinds);
    }
    values.add(limit);
    if (share.weighed()) {
      values.add(bytesLeft(step));
    }
    values.add(batch);
    return BoundStatement.query(ClaimTerms.CLAIM.call(), sql, this::read, values.toArray());
  }

  /** The remaining bytes of a step. As with tasks, a part is reserved for lower lanes. */
  private long bytesLeft(ClaimOrder.Step next) {
    return Math.max(1, share.bytes() / request.max() * next.upTo() - reader.bytes());
  }

  /** The progress of the claim through its plan: by tasks, or by bytes. */
  private int reached() {
    return Math.max(tasks.size(), weighedUpTo);
  }

  /** Takes the rows that the statement returned. */
  void accept(List<ClaimedTask> rows) {
    asked = true;
    tasks.addAll(rows);
    if (isTurnedAway()) {
      return;
    }
    if (stopped) {
      weighedUpTo = present().upTo();
    }
    boolean full = stopped || rows.size() == limit;
    ring().looked(slot(), full);
    offersTaken += present().offer() ? rows.size() : 0;
    if (frontier >= 0) {
      ring().advance(slot(), frontier, rows.size(), full);
    }
    if (!full && tookGateLate()) {
      // The rows that it missed belong to the consumer that had the gate: others may be behind.
      return;
    }
    if (fromStart) {
      ring().rescanned(slot());
    }
    if (full) {
      sawAll &= !stopped && tasks.size() < request.max();
      nextStep();
    } else if (!fromStart && request.verify() && tasks.isEmpty()) {
      fromStart = true;
    } else {
      sawAll &= fromStart;
      finished |= 1 << slot();
      if (fromStart && rows.isEmpty() && ring().needsLength(slot())) {
        foundEmpty.add(slot());
      }
      nextStep();
    }
  }

  private record EmptySlot(TenantClaim visit, int number) {}

  /**
   * Measures the slots in which visits found nothing, in one query, so that their hints start at
   * the end. Without it, a worker that starts after a large ring was switched has no hint for the
   * previous slot. Each of its claims then walked over all the dead rows there, 40,000 blocks in 25
   * ms, until the next switch.
   */
  static void measureEmptySlots(Session session, List<TenantClaim> visits) throws SQLException {
    List<EmptySlot> slots = visits.stream().flatMap(TenantClaim::emptySlots).toList();
    if (slots.isEmpty()) {
      return;
    }
    String[] names =
        slots.stream()
            .map(slot -> Sql.render(slot.visit.tenant().tables().slot(slot.number)))
            .toArray(String[]::new);
    List<Long> lengths =
        session.run(BoundStatement.query(MEASURE_SLOTS, row -> row.getLong(1), (Object) names));
    for (int i = 0; i < slots.size(); i++) {
      int number = slots.get(i).number;
      slots.get(i).visit.hints.ringOf(number).endsAt(number, lengths.get(i));
    }
  }

  /**
   * The slots in which nothing was found while others have tasks: without a hint, each claim would
   * walk over their dead rows again.
   */
  private Stream<EmptySlot> emptySlots() {
    return tookAny() ? foundEmpty.stream().map(slot -> new EmptySlot(this, slot)) : Stream.of();
  }

  TenantRef tenant() {
    return request.tenant();
  }

  /**
   * Whether another consumer held the gate. Without the gate, an empty result proves nothing; with
   * a task, the gate was free at that moment.
   */
  private boolean isTurnedAway() {
    return asked && !entered && taken() == 0;
  }

  /**
   * Whether the last statement took the gate by itself, as it became free. Its snapshot may be
   * older than the commit of the consumer before. So it may have picked rows that this one took,
   * and got fewer tasks than there are. The next statement sees what is left. True once.
   */
  private boolean tookGateLate() {
    boolean late = !entered;
    entered = true;
    return late;
  }

  /** Whether the visit saw all rows that were announced, and none has a kind of this claimer. */
  boolean wasInVain() {
    return taken() == 0 && sawAll && !isTurnedAway() && !terms.isNarrowed();
  }

  /** Whether the visit claimed anything; tasks of other kinds may remain. */
  boolean tookAny() {
    return taken() > 0;
  }

  /** Whether the visit left out kinds of this claimer, so that tasks of others may be in front. */
  boolean leftOutKinds() {
    return terms.isNarrowed();
  }

  /** The slots that were visited. */
  List<Integer> slots() {
    return plan.lanes().stream().map(plan::slotsOf).flatMapToInt(Arrays::stream).boxed().toList();
  }

  /** The result for a worker; its batch is in the given segment of the ledger. */
  ClaimResult result(long worker, int ledger) {
    if (plan.hasSeveralLanes() && !isTurnedAway()) {
      noteShare();
      tasks =
          tasks.stream().sorted(Comparator.comparingInt(ClaimedTask::priority).reversed()).toList();
    }
    return new ClaimResult(
        request.tenant(),
        new ClaimedBatch(request.tenant(), row(worker, ledger), List.copyOf(tasks), bytes()),
        state());
  }

  /** The bytes of the payloads as they stand in history. */
  private long bytes() {
    return aside == 0 && reader.traits() == 0
        ? reader.bytes()
        : tasks.stream().mapToLong(task -> SafeText.utf8Length(task.stored())).sum();
  }

  private BatchLocation row(long worker, int ledger) {
    return new BatchLocation(
        new BatchLocation.Identity(share.batchId(), worker),
        ledger,
        request.tenant().number(),
        segment,
        BatchLocation.Blocks.of(tasks));
  }

  /** The number of claimed tasks, including those set aside. */
  private int taken() {
    return tasks.size() + aside;
  }

  private ClaimResult.RingState state() {
    if (isTurnedAway()) {
      return ClaimResult.RingState.BUSY;
    }
    if (weighedUpTo > 0 || taken() == request.max()) {
      return ClaimResult.RingState.MORE;
    }
    return sawAll ? ClaimResult.RingState.EMPTY : ClaimResult.RingState.CAUGHT_UP;
  }

  /** The slot of the last statement. */
  int lastSlot() {
    return step == null ? -1 : step.slot();
  }

  /** Resets the hints, which were moved for a transaction that will not commit. */
  void undo() {
    hints.forget();
  }

  private void noteShare() {
    LowPriorityShare lower = hints.lowerShare();
    for (PriorityLanes.Lane lane : plan.lanes()) {
      boolean seen =
          Arrays.stream(plan.slotsOf(lane)).allMatch(slot -> (finished & (1 << slot)) != 0);
      if (seen && tasks.stream().noneMatch(task -> task.lane() == lane.number())) {
        lower.foundEmpty(lane.number());
      }
    }
    if ((taken() < request.max() && weighedUpTo == 0) || offersTaken < plan.offered()) {
      lower.nothingIsOwed();
    } else {
      lower.claimed(taken(), offersTaken);
    }
  }

  private void nextStep() {
    step = plan.next(reached(), finished);
    fromStart = step != null && (ring().start(slot()) == 0 || ring().rescanIsDue(slot()));
  }

  private ClaimOrder.Step present() {
    return Objects.requireNonNull(step);
  }

  private int slot() {
    return present().slot();
  }

  private ScanHints ring() {
    return hints.ringOf(slot());
  }

  private ClaimedTask read(ResultSet row) throws SQLException {
    if (frontier < 0) {
      frontier = RowId.parse(row.getString(10)).block();
    }
    if (share.weighed()) {
      stopped = row.getBoolean(11);
    }
    return reader.read(lanes.get(PriorityLanes.of(slot())), row);
  }

  /**
   * Determines the order in which a claim visits the slots of a tenant. Lanes go by priority, and
   * the slots of a lane in the order in which producers filled them. Where several lanes may hold
   * tasks, a part of the claim is reserved until it is known which lanes it does not reach. It is
   * offered to those, and the part that they do not take goes by priority again. Used by one
   * thread.
   */
  static final class ClaimOrder {

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
     * next one, whose leftover tasks are the oldest of all. The next slot is usually empty. While
     * the others have enough tasks it is visited once a second, and as long as it has more.
     */
    int[] slotsOf(Lane lane) {
      int next = PriorityLanes.after(lane.currentSlot());
      int previous = PriorityLanes.after(next);
      return hints.ringOf(next).mayHoldMore(next)
          ? wanted(next, previous, lane.currentSlot())
          : wanted(previous, lane.currentSlot(), next);
    }

    /** Those slots that the request names. */
    private int[] wanted(int... inOrder) {
      int count = 0;
      for (int slot : inOrder) {
        if ((request.slots() & (1 << slot)) != 0) {
          inOrder[count++] = slot;
        }
      }
      return Arrays.copyOf(inOrder, count);
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
      for (int slot : slotsOf(lane)) {
        steps.add(new Step(slot, upTo, offer));
      }
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
}
