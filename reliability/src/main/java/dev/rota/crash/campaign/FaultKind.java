package dev.rota.crash.campaign;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The kinds of faults of a campaign. */
enum FaultKind {
  /** A backend is ended with pg_terminate_backend. */
  TERMINATE_BACKEND(5, false, BackendFaults::terminate),
  /** A backend dies; the server ends all the others and recovers. */
  KILL_BACKEND(2, true, BackendFaults::kill),
  KILL_SERVER(2, true, ServerFaults::kill),
  STOP_SERVER(1, true, ServerFaults::stopImmediately),
  /** The log of the server cannot be written; it stops. */
  DISK_FULL(1, true, ServerFaults::fillDisk),
  KILL_WORKER(5, true, ProcessFaults::killWorker),
  /** A worker is stopped in good order, as for a new version. */
  REPLACE_WORKER(1, true, ProcessFaults::replaceWorker),
  /** A worker is frozen beyond its lease, and woken. */
  FREEZE_WORKER(3, true, ProcessFaults::freezeWorker),
  KILL_PRODUCER(3, false, ProcessFaults::killProducer),
  KILL_DAEMON(2, false, ProcessFaults::killDaemon),
  FREEZE_DAEMON(1, false, ProcessFaults::freezeDaemon),
  /** A second daemon; the first one dies, and the second one takes over. */
  TWO_DAEMONS(1, false, ProcessFaults::runTwoDaemons),
  /** All connections of a process are cut. */
  CUT(5, false, NetworkFaults::cut),
  /** All data that a process sends and receives are lost for a while. */
  BLACK_HOLE(3, true, NetworkFaults::blackHole),
  /** All data that a process sends and receives are held for a while. */
  HOLD(2, true, NetworkFaults::hold),
  DELAY(2, true, NetworkFaults::delay),
  /** The server commits, and the client does not get the answer. */
  CUT_COMMIT_OF_ENQUEUE(4, false, NetworkFaults::cutEnqueue),
  CUT_COMMIT_OF_CLAIM(4, false, NetworkFaults::cutClaim),
  CUT_COMMIT_OF_SETTLE(4, false, NetworkFaults::cutSettle),
  CUT_COMMIT_OF_DAEMON(2, false, NetworkFaults::cutDaemon),
  /** A transaction that read the next slot holds it, and the ring cannot rotate. */
  READER(3, false, RingFaults::read),
  /** A transaction keeps dead rows from being reused. */
  OLD_SNAPSHOT(1, false, SessionFaults::keepSnapshot),
  /** Another program takes the gate of a tenant. */
  STRANGER(3, false, SessionFaults::takeGate),
  /** A transaction of a caller that enqueued before the ring was rotated and commits after it. */
  STALE_PRODUCER(3, false, RingFaults::enqueueStale),
  /** An operator packs tables while tasks run. */
  VACUUM_FULL(0, false, RewriteFaults::vacuumFull),
  CLUSTER(0, false, RewriteFaults::cluster),
  SET_LOGGED(0, false, RewriteFaults::setLogged),
  ADD_COLUMN(0, false, RewriteFaults::addColumn),
  /** The database's clock steps by two hours. */
  CLOCK_STEP(0, false, ClockFaults::step),
  /** All processes end, and their successors use a dumped and restored database. */
  RESTORE(0, true, RestoreFaults::restore),
  /** The server dies, and another one continues from the state that processes know. */
  PROMOTE_SYNCHRONOUS_STANDBY(0, true, FailoverFaults::promoteSynchronous),
  PROMOTE_LAGGING_STANDBY(0, true, FailoverFaults::promoteLagging),
  RESTORE_BASE_BACKUP(0, true, FailoverFaults::restoreBackup);

  /** Injects a fault. */
  @FunctionalInterface
  interface Injection {

    /**
     * Injects the fault, checks that it happened, and repairs it.
     *
     * @throws AssertionError if it did not happen
     */
    void inject(ActiveFault fault) throws Exception;
  }

  private final int weight;
  private final boolean silences;

  /** The injection, a method without state. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final Injection injection;

  FaultKind(int weight, boolean silences, Injection injection) {
    this.weight = weight;
    this.silences = silences;
    this.injection = injection;
  }

  /** How often it is drawn in campaigns of all kinds; 0 for kinds with separate tests. */
  int weight() {
    return weight;
  }

  /** The kinds of campaigns of all kinds, each as often as its weight. */
  static List<FaultKind> usual() {
    return Arrays.stream(values())
        .flatMap(kind -> Collections.nCopies(kind.weight(), kind).stream())
        .toList();
  }

  /** Whether it can keep a worker from holding its lease. */
  boolean silences() {
    return silences;
  }

  Injection injection() {
    return injection;
  }
}
