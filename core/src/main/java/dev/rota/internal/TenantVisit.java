package dev.rota.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One tenant's part in a claim: goes through the slots of its ring, oldest first, until it has
 * enough or has seen everything. The tenant's gate is held all the while, so that a scan which
 * finds nothing means that nothing was visible. Used by one thread.
 */
final class TenantVisit {

  private final ClaimRequest request;
  private final SlotHints hints;
  private final Claimer.Terms terms;
  private final long batchId;
  private final int segment;
  private final ClaimedTask.Origin origin;
  private final List<Integer> slots;
  private List<ClaimedTask> tasks = new ArrayList<>();
  private int position;
  private boolean fromStart;
  private boolean entered;
  private boolean asked;
  private boolean sawAll = true;
  private long frontier = -1;

  TenantVisit(ClaimRequest request, SlotHints hints, Claimer.Terms terms, long batchId) {
    this.request = request;
    this.hints = hints;
    this.terms = terms;
    this.batchId = batchId;
    this.origin = new ClaimedTask.Origin(request.tenant(), batchId, terms.watch());
    TenantState state = request.tenant().state();
    this.segment = state.currentSegment();
    this.slots = order(state.currentSlot(), request.slots());
    hints.follow(state.currentSlot());
    prepareSlot();
  }

  /** Previous, current, next: the order in which producers filled them. */
  private static List<Integer> order(int current, int wanted) {
    int previous = (current + 2) % TenantTables.SLOTS;
    int next = (current + 1) % TenantTables.SLOTS;
    List<Integer> order = new ArrayList<>(List.of(previous, current, next));
    order.removeIf(slot -> (wanted & (1 << slot)) == 0);
    return order;
  }

  /** Tasks with a version may have a newer one than they were enqueued with. */
  void lookUpVersions(Session session) throws SQLException {
    tasks = VersionLookup.lookUp(session, tasks, segment);
  }

  /** The tenant's gate was taken before the first statement ran. */
  boolean enter() {
    entered = true;
    return true;
  }

  /** The next statement, or null when the visit is over. */
  @Nullable Call<List<ClaimedTask>> nextCall() {
    if (position == slots.size() || tasks.size() == request.max() || isTurnedAway()) {
      return null;
    }
    frontier = -1;
    return Call.repeated(
        RingSql.CLAIM.call(),
        request.tenant().claimSql(terms, slot(), segment),
        this::read,
        Place.startOf(start()),
        request.max() - tasks.size(),
        batchId);
  }

  /** Takes the result of the statement. */
  void accept(List<ClaimedTask> rows) {
    asked = true;
    tasks.addAll(rows);
    if (isTurnedAway()) {
      return;
    }
    if (frontier >= 0) {
      hints.advance(slot(), frontier, rows.size(), tasks.size() == request.max());
    }
    if (fromStart) {
      hints.rescanned(slot());
    }
    if (tasks.size() == request.max()) {
      sawAll = false;
    } else if (fromStart) {
      nextSlot();
    } else if (request.verify() && tasks.isEmpty()) {
      fromStart = true;
    } else {
      sawAll = false;
      nextSlot();
    }
  }

  TenantHandle tenant() {
    return request.tenant();
  }

  /** Without the gate, finding nothing tells nothing; with a task, the gate was free just then. */
  private boolean isTurnedAway() {
    return asked && !entered && tasks.isEmpty();
  }

  /** Whether something was said to be here, all was seen, and nothing was for this claimer. */
  boolean wasInVain() {
    return tasks.isEmpty() && sawAll && !isTurnedAway();
  }

  /** The slots that were looked at. */
  List<Integer> slots() {
    return slots;
  }

  Claim result(int ledger) {
    BatchRow row =
        new BatchRow(
            batchId, ledger, request.tenant().number(), segment, BatchRow.Blocks.of(tasks));
    return new Claim(
        request.tenant(), new ClaimedBatch(request.tenant(), row, List.copyOf(tasks)), standing());
  }

  private Claim.Standing standing() {
    if (isTurnedAway()) {
      return Claim.Standing.BUSY;
    }
    if (tasks.size() == request.max()) {
      return Claim.Standing.MORE;
    }
    return sawAll ? Claim.Standing.EMPTY : Claim.Standing.CAUGHT_UP;
  }

  /** The hints were moved for a transaction that is not going to commit. */
  void undo() {
    hints.forget();
  }

  private void nextSlot() {
    position++;
    prepareSlot();
  }

  private void prepareSlot() {
    fromStart = position < slots.size() && (hints.start(slot()) == 0 || hints.rescanIsDue(slot()));
  }

  private int slot() {
    return slots.get(position);
  }

  private long start() {
    return fromStart ? 0 : hints.start(slot());
  }

  private ClaimedTask read(ResultSet row) throws SQLException {
    if (frontier < 0) {
      frontier = Place.parse(row.getString(10)).block();
    }
    return ClaimedTask.read(origin, row);
  }
}
