package dev.rota.crash.campaign;

import dev.rota.crash.server.FaultProxy;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs one process after the other, each behind the same network. Code that touches the process or
 * its network holds the lock, so that no two faults do so at once.
 */
final class ProcessSupervisor implements AutoCloseable {

  /** Starts a process. */
  @FunctionalInterface
  interface Launcher {

    /**
     * Starts a process.
     *
     * @param name its name in the accounts
     * @param url its URL of the database
     */
    JavaProcess launch(String name, String url) throws IOException;
  }

  private final String role;
  private final FaultProxy network;
  private final String url;
  private final Launcher launcher;
  private final ReentrantLock lock = new ReentrantLock();
  private int started;
  private JavaProcess process;

  ProcessSupervisor(String role, FaultProxy network, String serverUrl, Launcher launcher)
      throws IOException, InterruptedException {
    this.role = role;
    this.network = network;
    this.url = network.through(serverUrl);
    this.launcher = launcher;
    this.process = launchNext();
    process.awaitStarted();
  }

  ReentrantLock lock() {
    return lock;
  }

  FaultProxy network() {
    return network;
  }

  /** The name of the present process. */
  String name() {
    return role + "-" + started;
  }

  JavaProcess process() {
    return process;
  }

  /** Starts another process in the place of the dead one. */
  void startNext() throws IOException, InterruptedException {
    process.close();
    process = launchNext();
    process.awaitStarted();
  }

  /** Starts a process beside the present one. */
  JavaProcess launchNext() throws IOException {
    started++;
    return launcher.launch(name(), url);
  }

  /** Puts a process in the place of the dead one. */
  void replaceBy(JavaProcess other) throws InterruptedException {
    process.close();
    process = other;
  }

  /** Ends the process in good order. */
  void stop() throws IOException, InterruptedException {
    String answer = process.ask("stop");
    if (!answer.equals("stopped")) {
      throw new AssertionError(name() + " was told to stop and said " + answer);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.close();
    network.close();
  }

  @Override
  public String toString() {
    return name();
  }
}
