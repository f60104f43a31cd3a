package dev.rota.crash.points;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.crash.points.CrashScenario.Act;
import dev.rota.crash.points.CrashScenario.NotYetException;
import dev.rota.internal.db.Session.StatementObserver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One run of a scenario, with one of its round trips broken, or none. Used once. */
final class CrashPointRun {

  private static final int MOST_TRIES = 6;

  private static final Set<Fault> REFUSALS =
      Set.of(Fault.BEGIN_FAILS, Fault.REFUSED, Fault.REFUSED_THEN_CUT);

  private final PointsEnvironment server;
  private final CrashScenario scenario;
  private final @Nullable Point point;
  private final Fault fault;
  private final StatementFaults faults;
  private final List<Throwable> failures = new ArrayList<>();
  private UnaryOperator<DataSource> wrapper = pool -> pool;
  private StatementObserver observer;
  private boolean missed;

  CrashPointRun(
      PointsEnvironment server, CrashScenario scenario, @Nullable Point point, Fault fault) {
    this.server = server;
    this.scenario = scenario;
    this.point = point;
    this.fault = fault;
    this.faults = new StatementFaults(server::kill, server.proxy()::breakNextBeginOf);
    this.observer = faults;
  }

  /** Creates a run without a broken round trip. */
  static CrashPointRun unbroken(PointsEnvironment server, CrashScenario scenario) {
    return new CrashPointRun(server, scenario, null, Fault.REFUSED);
  }

  /** Returns the same run over a wrapped pool. */
  CrashPointRun over(UnaryOperator<DataSource> newWrapper) {
    wrapper = newWrapper;
    return this;
  }

  /** Returns the same run with an observer that forwards its calls to the fault injector. */
  CrashPointRun watchedBy(StatementObserver newObserver) {
    observer = newObserver;
    return this;
  }

  /** Whether the run made no such round trip, since a background thread had just made it. */
  boolean hasMissed() {
    return missed;
  }

  StatementFaults tap() {
    return faults;
  }

  /**
   * Runs the scenario, continues after the fault as documented, lets others finish, and verifies.
   *
   * @return the round trips of the scenario
   * @throws AssertionError with all details, if an invariant does not hold
   */
  List<Point> perform() {
    try (ScenarioEnvironment environment =
        new ScenarioEnvironment(server, faults, observer, wrapper)) {
      Act act = scenario.setup().prepare(environment);
      faults.begin(point, fault);
      boolean finished = tryOnce(act);
      faults.end();
      missed = point != null && !faults.hasStruck();
      if (missed) {
        throw new AssertionError("the round trip was not reached; seen were " + faults.seen());
      }
      for (int victim : faults.victims()) {
        server.awaitGone(victim);
      }
      if (!finished) {
        goOn(environment, act);
      }
      environment.drain();
      environment.verifyTasks();
      environment.verifyNothingIsLeft();
    } catch (Exception | AssertionError e) {
      throw failure(e);
    }
    return faults.seen();
  }

  private boolean tryOnce(Act act) throws Exception {
    try {
      act.run();
      return true;
    } catch (RotaException | SQLException | NotYetException e) {
      failures.add(e);
      if (e instanceof RotaException rotas) {
        verifyKind(rotas);
      }
      return false;
    }
  }

  /**
   * Checks that the outcome is reported as unknown when the COMMIT got no answer, and only then. A
   * server process that was ended before the flush with the COMMIT says so, and nothing was done;
   * the rest of the run finds out whether that is true.
   */
  private void verifyKind(RotaException e) {
    boolean unknown = e instanceof DatabaseException d && d.outcomeUnknown();
    boolean refused = REFUSALS.contains(fault);
    Point last = faults.last();
    boolean expected = last != null && last.commits() && !refused;
    boolean mayBeKnown = last != null && isEndedBefore(last);
    if (unknown != expected && !(expected && mayBeKnown)) {
      throw new AssertionError(
          "the outcome is%s said to be unknown after %s".formatted(unknown ? "" : " not", last), e);
    }
  }

  private boolean isEndedBefore(Point last) {
    return fault == Fault.KILLED_BEFORE || (fault == Fault.KILLED_AFTER && !last.equals(point));
  }

  private void goOn(ScenarioEnvironment environment, Act act) throws Exception {
    if (isUnknown() && !scenario.repeatable()) {
      environment.forgive();
      return;
    }
    for (int tries = 1; tries <= MOST_TRIES; tries++) {
      try {
        act.run();
        return;
      } catch (RotaException | SQLException | NotYetException e) {
        // Connections that broke unnoticed are found one by one.
        failures.add(e);
      }
    }
    throw new AssertionError("it does not succeed any more");
  }

  private boolean isUnknown() {
    return failures.get(0) instanceof DatabaseException d && d.outcomeUnknown();
  }

  private AssertionError failure(Throwable reason) {
    String broken = point == null ? "unbroken" : fault + " at " + point;
    AssertionError error =
        new AssertionError(
            "\"%s\", %s: %s%nround trips: %s%nits failures: %s"
                .formatted(scenario.name(), broken, reason, faults.seen(), failures),
            reason);
    failures.forEach(error::addSuppressed);
    return error;
  }
}
