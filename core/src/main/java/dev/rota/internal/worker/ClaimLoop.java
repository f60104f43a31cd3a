package dev.rota.internal.worker;

import dev.rota.UnknownTenantException;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Database.PinnedConnection;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.worker.PrefetchLimit.ClaimSize;
import dev.rota.internal.worker.TenantQueue.Visit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Visits tenants in turns, several in one transaction. Used by one thread. */
final class ClaimLoop implements AutoCloseable {

  private static final Logger log = Logs.of(ClaimLoop.class);

  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long TROUBLE_MILLIS = 200;

  private final TenantRegistry registry;
  private final TenantQueues queues;
  private final Taker taker;
  private final Share share;
  private final PinnedConnection connection;
  private final Database database;
  private boolean troubled;

  /** Takes over the claimed batches. */
  interface Taker {

    void take(KindQueue kinds, ClaimResult claim);

    /** Called with a claimed batch that cannot be taken over. */
    void lose(ClaimResult claim);
  }

  /**
   * The part of one loop in the work of a worker.
   *
   * @param number the number of the loop
   * @param size the number of tenants in one transaction
   */
  record Share(int number, ClaimSize size) {}

  ClaimLoop(
      Database database, TenantRegistry registry, TenantQueues queues, Taker taker, Share share) {
    this.share = share;
    this.registry = registry;
    this.queues = queues;
    this.taker = taker;
    this.connection = database.keepConnection();
    this.database = database.on(connection);
  }

  /**
   * Waits briefly for work.
   *
   * @return the groups of kinds that may have work
   */
  List<Integer> awaitWork() throws InterruptedException {
    List<Integer> due = queues.await(share.number, WAIT_NANOS);
    if (due.isEmpty()) {
      rest();
    }
    return due;
  }

  /**
   * Claims once, for up to {@code wants} tasks and no more than {@code batchSize} of one tenant.
   *
   * @return whether any tenant had its turn
   */
  boolean fetch(KindQueue kinds, int wants, int batchSize) throws InterruptedException {
    int most = Math.min(share.size.tenants(), wants);
    List<Visit> visits = kinds.tenants().take(share.number, most, wants, kinds::isSated);
    if (visits.isEmpty()) {
      return false;
    }
    int each = Math.min(batchSize, Math.max(1, wants / visits.size()));
    try {
      visit(kinds, visits, each);
      share.size.refresh(database);
      troubled = false;
    } catch (RuntimeException | Error e) {
      if (SqlErrors.isConnectionLoss(e) || visits.size() == 1) {
        failed(kinds, visits, e);
      } else {
        visitAlone(kinds, visits, each);
      }
    }
    return true;
  }

  /** Rests while no work is wanted, until there is other work, and at most this long. */
  void rest(long nanos) throws InterruptedException {
    rest();
    queues.awaitOther(share.number, nanos);
  }

  /** Rests while there is no work. */
  void rest() {
    connection.rest();
  }

  /** Ends the loop; no claim may follow. */
  @Override
  public void close() {
    connection.close();
  }

  /**
   * Claims from each tenant alone after a failure, so that one tenant's error does not stop the
   * others.
   */
  private void visitAlone(KindQueue kinds, List<Visit> visits, int each)
      throws InterruptedException {
    for (Visit visit : visits) {
      try {
        visit(kinds, List.of(visit), each);
      } catch (RuntimeException | Error e) {
        failed(kinds, List.of(visit), e);
      }
    }
  }

  private void visit(KindQueue kinds, List<Visit> visits, int each) {
    Map<Integer, Visit> byTenant = new HashMap<>();
    List<ClaimRequest> requests = new ArrayList<>();
    for (Visit visit : visits) {
      find(kinds, visit)
          .ifPresent(
              tenant -> {
                byTenant.put(visit.tenant(), visit);
                requests.add(new ClaimRequest(tenant, each, visit.slots(), false));
              });
    }
    if (requests.isEmpty()) {
      return;
    }
    List<ClaimResult> claims = claim(kinds, requests);
    hand(kinds, claims);
    for (ClaimResult claim : claims) {
      Visit visit = byTenant.get(claim.tenant().number());
      if (visit != null) {
        kinds.tenants().visited(visit, claim.batch().tasks().size(), claim.state());
      }
    }
  }

  private List<ClaimResult> claim(KindQueue kinds, List<ClaimRequest> requests) {
    try {
      return kinds.claimer().claim(database, requests);
    } finally {
      queues.returned(share.number);
    }
  }

  /**
   * Passes claimed batches on. A batch that cannot be taken over must not stay booked by this
   * process.
   */
  private void hand(KindQueue kinds, List<ClaimResult> claims) {
    int taken = 0;
    try {
      for (ClaimResult claim : claims) {
        if (!claim.batch().tasks().isEmpty()) {
          taker.take(kinds, claim);
        }
        taken++;
      }
    } catch (RuntimeException | Error e) {
      claims.subList(taken, claims.size()).forEach(taker::lose);
      throw e;
    }
  }

  /** Finds the tenant, which may have been erased since its visit was planned. */
  private Optional<TenantRef> find(KindQueue kinds, Visit visit) {
    try {
      return Optional.of(registry.get(visit.tenant()));
    } catch (UnknownTenantException e) {
      kinds.tenants().gone(visit);
      return Optional.empty();
    }
  }

  private void failed(KindQueue kinds, List<Visit> visits, Throwable e)
      throws InterruptedException {
    visits.forEach(kinds.tenants()::failed);
    if (!troubled) {
      log.warn("a Rota worker could not claim, and keeps trying: {}", e.getMessage());
    }
    troubled = true;
    if (SqlErrors.isConnectionLoss(e)) {
      Thread.sleep(TROUBLE_MILLIS);
    }
  }

  /**
   * The queues and limits of one group of kinds in a worker. They are the tenants to visit, the
   * claimer, the number of tasks to hold, and the tasks that wait for handlers.
   *
   * @param tenants the tenants to visit for the group
   * @param claimer claims its kinds
   * @param prefetch the number of tasks to hold
   * @param queue the tasks that are claimed and not begun
   * @param besides whether it is for tenants of which little is held, while the worker holds enough
   *     in total
   */
  record KindQueue(
      TenantQueue tenants,
      Claimer claimer,
      PrefetchLimit prefetch,
      WorkQueue queue,
      boolean besides) {

    /** The same way for tenants of which little is held. */
    KindQueue beside() {
      return new KindQueue(tenants, claimer, prefetch, queue, true);
    }

    /** How many more tasks to claim; see {@link PrefetchLimit#wants}. */
    int wants() {
      return besides
          ? prefetch.wantsBesides(queue.waitingBesides())
          : prefetch.wants(queue.waiting(), queue.finishedTasks());
    }

    /** Records that the claim for this many tasks is over. */
    void claimed(int wanted) {
      if (besides) {
        prefetch.claimedBesides(wanted);
      } else {
        prefetch.claimed(wanted);
      }
    }

    /** Whether enough tasks of a tenant are held. */
    boolean isSated(int tenant) {
      return besides ? queue.isHalfSated(tenant, prefetch.target()) : queue.isSated(tenant);
    }
  }
}
