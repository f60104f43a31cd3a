package dev.rota.crash;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Prints how to repeat a test that failed. */
final class RepeatHint implements TestWatcher {

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    System.out.println(
        ("To repeat: mvn -B verify -P" + (CrashRun.isSoak() ? "soak" : "crash"))
            + " -pl sql,core,partition-manager"
            + " -Dsurefire.failIfNoSpecifiedTests=false"
            + (" -Dtest=" + context.getRequiredTestClass().getSimpleName())
            + (" -Drota.crash.seed=" + CrashRun.seed())
            + (" (logs of servers that a test started: " + CrashRun.logs() + ")"));
  }
}
