package dev.rota.crash;

import dev.rota.processes.ProcessLogs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Prints how to repeat a failed test, or a class that failed before or after its tests. */
final class RepeatHint implements TestWatcher, AfterAllCallback {

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    print(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    context.getExecutionException().ifPresent(failure -> print(context));
  }

  private static void print(ExtensionContext context) {
    System.out.println(
        ("To repeat: " + CrashRun.command(context.getRequiredTestClass()))
            + (" (logs of what a test started: " + ProcessLogs.folder() + ")"));
  }
}
