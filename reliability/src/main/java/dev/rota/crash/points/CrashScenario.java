package dev.rota.crash.points;

/**
 * One operation of a user or the daemon, every round trip of which is broken once.
 *
 * @param name its name
 * @param repeatable whether it may be repeated after an unknown outcome, as documented; if not, its
 *     caller does not repeat it
 * @param setup creates the initial state
 * @param setup makes what must be there before
 */
record CrashScenario(String name, boolean repeatable, boolean lengthy, Setup setup) {

  /** Creates the initial state, and returns the operation. */
  @FunctionalInterface
  interface Setup {
    Act prepare(ScenarioEnvironment environment) throws Exception;
  }

  /** The operation, repeated until it succeeds. */
  @FunctionalInterface
  interface Act {
    void run() throws Exception;

    /** Returns an operation that succeeds only when a condition holds. */
    default Act until(String goal, Check reached) {
      return () -> {
        run();
        if (!reached.holds()) {
          throw new NotYetException(goal);
        }
      };
    }
  }

  /** A condition that must hold. */
  @FunctionalInterface
  interface Check {
    boolean holds() throws Exception;
  }

  /** Thrown when the operation has noticed a failure and will be repeated. */
  static final class NotYetException extends Exception {
    private static final long serialVersionUID = 1L;

    NotYetException(String goal) {
      super("not yet: " + goal);
    }
  }

  static CrashScenario repeatable(String name, Setup setup) {
    return new CrashScenario(name, true, false, setup);
  }

  /** Creates a lengthy scenario that may be repeated. */
  static CrashScenario lengthy(String name, Setup setup) {
    return new CrashScenario(name, true, true, setup);
  }

  static CrashScenario once(String name, Setup setup) {
    return new CrashScenario(name, false, false, setup);
  }
}
