package dev.rota.crash.points;

/**
 * One thing that a user or the daemon does, every round trip of which is broken once.
 *
 * @param name what it is
 * @param repeatable whether it may be done again after its outcome was unknown, as documented; if
 *     not, its caller leaves it at that
 * @param lengthy whether it takes long and repeats itself, such as for one table after the other
 * @param setup makes what must be there before
 */
record CrashScenario(String name, boolean repeatable, boolean lengthy, Setup setup) {

  /** Sets the scene, and returns what is then done. */
  @FunctionalInterface
  interface Setup {
    Act prepare(ScenarioEnvironment stage) throws Exception;
  }

  /** What is done, again and again until it succeeds. */
  @FunctionalInterface
  interface Act {
    void run() throws Exception;

    /** The same, which has not succeeded before something holds. */
    default Act until(String goal, Check reached) {
      return () -> {
        run();
        if (!reached.holds()) {
          throw new NotYetException(goal);
        }
      };
    }
  }

  /** What must hold. */
  @FunctionalInterface
  interface Check {
    boolean holds() throws Exception;
  }

  /** What went wrong was noticed by the one who did it, and will be tried again. */
  static final class NotYetException extends Exception {
    private static final long serialVersionUID = 1L;

    NotYetException(String goal) {
      super("not yet: " + goal);
    }
  }

  static CrashScenario repeatable(String name, Setup setup) {
    return new CrashScenario(name, true, false, setup);
  }

  /** A lengthy one that may be repeated. */
  static CrashScenario lengthy(String name, Setup setup) {
    return new CrashScenario(name, true, true, setup);
  }

  static CrashScenario once(String name, Setup setup) {
    return new CrashScenario(name, false, false, setup);
  }
}
