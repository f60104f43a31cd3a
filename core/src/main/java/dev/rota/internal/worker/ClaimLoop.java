package dev.rota.internal.worker;

import dev.rota.RotaException;
import dev.rota.UnknownTenantException;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Database.PinnedConnection;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.worker.TenantQueue.Visit;
import dev.rota.spi.TaskObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
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

    /** Is told of each claim; null for none. */
    @Nullable TaskObserver observer();
  }

  /**
   * The part of one loop in the work of a worker.
   *
   * @param number the number of the loop
   * @param size the number of tenants in one transaction
   */
  record Share(int number, ClaimSize size) {}

  /** How many tasks to claim of each tenant: as many as of others, or as its weight demands. */
  private record Portion(int even, int most, Reservation reserved) {}

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
   * Claims once, for the tasks of a reservation, and no more than {@code batchSize} of one tenant.
   *
   * @return whether any tenant had its turn
   */
  boolean fetch(KindQueue kinds, Reservation reserved, int batchSize) throws InterruptedException {
    int wants = reserved.tasks();
    int most = Math.min(share.size.tenants(), wants);
    List<Visit> visits = kinds.tenants().take(share.number, most, wants, kinds::isSated);
    if (visits.isEmpty()) {
      return false;
    }
    int even = Math.min(batchSize, Math.max(1, wants / visits.size()));
    Portion each = new Portion(even, batchSize, reserved);
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
  private void visitAlone(KindQueue kinds, List<Visit> visits, Portion each)
      throws InterruptedException {
    for (Visit visit : visits) {
      try {
        visit(kinds, List.of(visit), each);
      } catch (RuntimeException | Error e) {
        failed(kinds, List.of(visit), e);
      }
    }
  }

  private void visit(KindQueue kinds, List<Visit> visits, Portion each) {
    Map<Integer, Visit> byTenant = new HashMap<>();
    List<ClaimRequest> requests = new ArrayList<>();
    for (Visit visit : visits) {
      find(kinds, visit)
          .ifPresent(
              tenant -> {
                byTenant.put(visit.tenant(), visit);
                int max = kinds.queue().wanted(visit.tenant(), each.even, each.most);
                requests.add(new ClaimRequest(tenant, max, visit.slots(), false));
              });
    }
    if (requests.isEmpty()) {
      return;
    }
    if (kinds.queue().areUneven()) {
      each.reserved.needs(requests.stream().mapToInt(ClaimRequest::max).sum());
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
      TaskObserver observer = taker.observer();
      return observer == null
          ? kinds.claimer().claim(database, requests)
          : Observed.claim(
              observer, requests.size(), () -> kinds.claimer().claim(database, requests));
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
   * Tasks that a claim is to bring. Other threads claim no more than what is missing beside them.
   * Used by one thread.
   */
  static final class Reservation implements AutoCloseable {

    private final KindQueue kinds;
    private int tasks;

    private Reservation(KindQueue kinds) {
      this.kinds = kinds;
      this.tasks = kinds.wants();
    }

    /** How many; 0 if none are missing. */
    int tasks() {
      return tasks;
    }

    /**
     * Leaves to others what the claim does not need. Where weights decide, that is much: a claim
     * takes of each tenant what is missing to its part, and one thread would wait for another.
     */
    void needs(int needed) {
      if (needed < tasks) {
        kinds.claimed(tasks - needed);
        tasks = needed;
      }
    }

    /** Records that the claim is over. */
    @Override
    public void close() {
      kinds.claimed(tasks);
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

    /** Reserves the tasks that are to be claimed now. */
    Reservation reserve() {
      return new Reservation(this);
    }

    /** How many more tasks to claim; see {@link PrefetchLimit#wants}. */
    private int wants() {
      return besides
          ? prefetch.wantsBesides(queue.waitingBesides())
          : prefetch.wants(queue.waiting(), queue.finishedTasks(), queue.parts());
    }

    /** Records that the claim for this many tasks is over. */
    private void claimed(int wanted) {
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

  /**
   * Computes how many tasks to hold ready: about half a second's worth at the rate at which
   * handlers finish them. So a fast worker takes many at a time, and a slow one leaves tasks to
   * others. Thread-safe.
   */
  static final class PrefetchLimit {

    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final double SECONDS_READY = 0.5;
    private static final int GROWTH = 4;

    /**
     * The upper bound of tasks held ready: even with small batches, many tenants may have backlogs.
     */
    private static final int READY = 64_000;

    private static final int READY_BATCHES = 8;
    private static final int AT_ONCE = 12_000;

    /**
     * A claim costs the same for few tasks as for many, and at least this part of the target is
     * worth one: the rest of it is held.
     */
    private static final int PORTIONS = 8;

    private final int least;
    private final int most;
    private final int mostAtOnce;
    private final ClaimSize size;
    private final int batchSize;
    private double target;
    private long windowStart = System.nanoTime();
    private long finishedAtStart;
    private long finishedAtGrowth = -1;
    private long beingClaimed;
    private long beingClaimedBesides;

    PrefetchLimit(int concurrency, int batchSize, ClaimSize size) {
      this.size = size;
      this.batchSize = batchSize;
      this.least = concurrency;
      this.most = Math.max(Math.max(READY, READY_BATCHES * batchSize), concurrency);
      this.mostAtOnce = Math.max(Math.max(AT_ONCE, 4 * batchSize), concurrency);
      this.target = least;
    }

    /**
     * Returns how many more to claim. The caller reports the end of that claim by {@link #claimed}.
     *
     * @param waiting tasks that are held and not begun
     * @param finished tasks finished since the start
     * @param parts the sum of what each tenant should have, where that differs
     */
    synchronized int wants(long waiting, long finished, double parts) {
      long now = System.nanoTime();
      if (now - windowStart >= WINDOW_NANOS) {
        double perSecond = (finished - finishedAtStart) * 1e9 / (now - windowStart);
        double ready = perSecond * SECONDS_READY;
        target = within(waiting == 0 ? Math.max(target, ready) : ready);
        windowStart = now;
        finishedAtStart = finished;
      }
      growIfStarved(waiting, finished);
      int wants = worthClaiming(Math.max(target, Math.min(parts, most)), waiting + beingClaimed);
      beingClaimed += wants;
      return wants;
    }

    /** The number of tasks to hold ready. */
    synchronized double target() {
      return target;
    }

    /**
     * Returns how many more to claim of tenants of which little is held, while the worker holds
     * enough in total. The backlog of one tenant must not exclude the others. In total as many as
     * there are handlers, or one portion of the target, because tasks held here are kept from other
     * workers. The caller reports the end of that claim by {@link #claimedBesides}.
     *
     * @param waiting tasks of such claims that are not begun
     */
    synchronized int wantsBesides(long waiting) {
      double most = Math.max(least, target / PORTIONS);
      int wants = worthClaiming(most, waiting + beingClaimedBesides);
      beingClaimedBesides += wants;
      return wants;
    }

    /** The number of tasks that are missing to a total; 0 if they are not worth a claim. */
    private int worthClaiming(double total, long held) {
      int missing = (int) Math.max(0, Math.min(mostAtOnce, total - held));
      return missing < Math.min(size.tenants() * batchSize, total / PORTIONS) ? 0 : missing;
    }

    /**
     * Grows the target after handlers ran out of tasks. They could have done more, by an unknown
     * amount, so it grows by much; once for each time that they ran out.
     */
    private void growIfStarved(long waiting, long finished) {
      if (waiting == 0 && finished - finishedAtGrowth >= target / 2) {
        finishedAtGrowth = finished;
        target = within(GROWTH * target);
      }
    }

    private double within(double wanted) {
      return Math.min(Math.max(wanted, least), most);
    }

    /** Records that a claim for this many tasks is over; its tasks count as waiting from now on. */
    synchronized void claimed(int wanted) {
      beingClaimed -= wanted;
    }

    /** Records that a claim of {@link #wantsBesides} for this many tasks is over. */
    synchronized void claimedBesides(int wanted) {
      beingClaimedBesides -= wanted;
    }
  }

  /**
   * The number of tenants from which one transaction claims, 12 to 50. Each takes five locks until
   * the commit. The claims of all workers together take up to a quarter of the server's locks.
   * Thread-safe.
   *
   * <p>Beginning and committing costs as much as a few claims of 10 tasks. A claim took 114 µs of
   * the server with fifty tenants together, and 134 with twelve.
   */
  static final class ClaimSize {

    private static final Logger log = Logs.of(ClaimSize.class);

    private static final Sql ROOM_FOR_CLAIMS = Sql.named("room_for_claims");

    private static final int FEWEST = 12;
    private static final int MOST = 50;
    private static final int LOCKS_OF_A_TENANT = 5;

    /** Claims take one of so many parts of all locks. */
    private static final int PARTS = 4;

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String text;
    private final AtomicLong readAt = new AtomicLong(System.nanoTime() - REFRESH_NANOS);
    private volatile int tenants = FEWEST;

    ClaimSize(RegistryTables tables) {
      this.text = ROOM_FOR_CLAIMS.on("workers", tables.workers());
    }

    /** The number of tenants, as of the last look. */
    int tenants() {
      return tenants;
    }

    /**
     * Looks at the server if the last look was some time ago. Called after a claim: before it, a
     * fetcher must not keep a connection that the worker needs to be registered.
     */
    void refresh(Database database) {
      long last = readAt.get();
      long now = System.nanoTime();
      if (now - last >= REFRESH_NANOS && readAt.compareAndSet(last, now)) {
        try {
          tenants = read(database);
        } catch (RotaException e) {
          log.debug("the size of the lock table could not be read", e);
        }
      }
    }

    private int read(Database database) {
      return database.transaction(
          "read the size of the lock table",
          session ->
              session
                  .run(
                      BoundStatement.query(
                          ROOM_FOR_CLAIMS.call(), text, row -> of(row.getLong(1), row.getLong(2))))
                  .get(0));
    }

    /** The number of tenants for a number of locks and of workers. */
    static int of(long locks, long workers) {
      long claims = Math.max(1, workers) * LeasedDelivery.FETCHERS;
      return (int) Math.max(FEWEST, Math.min(MOST, locks / PARTS / LOCKS_OF_A_TENANT / claims));
    }
  }
}
