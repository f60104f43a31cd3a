package dev.rota.crash.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Signals the processes of one server, and no others. Linux only. */
final class ServerProcesses {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final char STOPPED = 'T';
  private static final char GONE = ' ';

  private final Process postmaster;

  ServerProcesses(Process postmaster) {
    this.postmaster = postmaster;
  }

  /**
   * Kills one process of the server, as {@code kill -9} does, and waits until the postmaster has
   * ended all the others because of it.
   *
   * @return false if it is not a process of the server: it may have ended by itself a moment ago
   */
  boolean killChild(long pid) throws IOException, InterruptedException {
    List<ProcessHandle> children = postmaster.children().toList();
    Optional<ProcessHandle> child = children.stream().filter(each -> each.pid() == pid).findAny();
    if (child.isEmpty() || !freeze(pid)) {
      return false;
    }
    child.get().destroyForcibly();
    awaitEnd(children);
    return true;
  }

  /** Stops a process, so that it can no longer end by itself. False if it has just ended. */
  private static boolean freeze(long pid) throws IOException, InterruptedException {
    try {
      run("kill", "-STOP", Long.toString(pid));
    } catch (IOException e) {
      if (isRunning(pid)) {
        throw e;
      }
      return false;
    }
    while (isRunning(pid)) {
      if (state(pid) == STOPPED) {
        return true;
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
    return false;
  }

  /**
   * Kills all processes at once. The postmaster is stopped first: it could start further ones, or
   * react to the death of the first, while the others die.
   */
  void killAll() throws IOException, InterruptedException {
    signal("STOP");
    List<ProcessHandle> children = postmaster.children().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    postmaster.destroyForcibly();
    awaitExit();
    awaitEnd(children);
  }

  /** Sends a signal by its name to the postmaster. */
  void signal(String name) throws IOException, InterruptedException {
    run("kill", "-" + name, Long.toString(postmaster.pid()));
  }

  /** Limits the size of files for the postmaster, its processes, and later ones. */
  void limitFileSize(String limit) throws IOException, InterruptedException {
    limit(postmaster.pid(), limit);
    for (ProcessHandle child : postmaster.children().toList()) {
      try {
        limit(child.pid(), limit);
      } catch (IOException e) {
        // It may have ended meanwhile.
        if (isRunning(child.pid())) {
          throw e;
        }
      }
    }
  }

  void awaitExit() throws InterruptedException {
    if (!postmaster.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException("the postmaster " + postmaster.pid() + " does not end");
    }
  }

  private static void limit(long pid, String limit) throws IOException, InterruptedException {
    // The hard limit stays, or it could not be raised again.
    run("prlimit", "--pid", Long.toString(pid), "--fsize=" + limit + ":unlimited");
  }

  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed: " + output.strip());
    }
  }

  private static void awaitEnd(List<ProcessHandle> processes) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (ProcessHandle process : processes) {
      while (isRunning(process.pid())) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("process " + process.pid() + " does not end");
        }
        LockSupport.parkNanos(LOOK_AGAIN_NANOS);
      }
    }
  }

  /** Whether the process still holds any resources: a dead one that is not yet reaped does not. */
  private static boolean isRunning(long pid) {
    char state = state(pid);
    return state != GONE && state != 'Z' && state != 'X';
  }

  /** The state of the process in the kernel. */
  private static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      // No such file; or "No such process", when it ended between the opening and the reading.
      return GONE;
    }
  }
}
