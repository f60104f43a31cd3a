package dev.rota.cli.common;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Translates SIGTERM and Ctrl-C into an interrupt of the thread that runs the command, and keeps
 * the JVM alive until that thread has cleaned up.
 */
public final class SignalGuard implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private static volatile @Nullable SignalGuard active;

  private final Thread command = Thread.currentThread();
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook = new Thread(this::onSignal, "rota-signal");

  private SignalGuard() {}

  public static SignalGuard install() {
    SignalGuard guard = new SignalGuard();
    active = guard;
    Runtime.getRuntime().addShutdownHook(guard.hook);
    return guard;
  }

  /**
   * Waits for the command. Other shutdown hooks call it: they run at the same time as this one, but
   * must come after the command.
   */
  public static void awaitCommand() {
    SignalGuard guard = active;
    if (guard != null) {
      guard.awaitFinished();
    }
  }

  public static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and the hook runs or has run: there is nothing to remove.
      return;
    }
  }

  @Override
  public void close() {
    finished.countDown();
    removeHook(hook);
  }

  private void onSignal() {
    command.interrupt();
    awaitFinished();
  }

  private void awaitFinished() {
    try {
      boolean ignored = finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
