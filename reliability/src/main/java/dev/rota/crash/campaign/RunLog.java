package dev.rota.crash.campaign;

import dev.rota.Task;
import dev.rota.crash.accounts.AppendLog;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Records the runs of a process's handlers, with times by the clock of the machine, which all
 * processes of a campaign share. Thread-safe.
 *
 * <pre>
 * b TIME MARK TASK ATTEMPT     a handler has begun
 * s TIME MARK TASK ATTEMPT     it has had its effect
 * e TIME MARK TASK ATTEMPT     it failed, as the task asked
 * r TIME MARK TASK ATTEMPT     it hands the task back
 * p TIME                       the process is awake
 * x TIME COUNT                 this many outcomes were dropped, since their batch was another's
 * </pre>
 */
final class RunLog implements AutoCloseable {

  private final AppendLog log;

  RunLog(Path path) throws IOException {
    this.log = new AppendLog(path);
  }

  void begun(Task task) {
    write('b', task);
  }

  void succeeded(Task task) {
    write('s', task);
  }

  void failed(Task task) {
    write('e', task);
  }

  void released(Task task) {
    write('r', task);
  }

  void pulse() {
    log.write("p " + System.currentTimeMillis());
  }

  void fenced(long outcomes) {
    log.write("x " + System.currentTimeMillis() + " " + outcomes);
  }

  private void write(char what, Task task) {
    log.write(
        what
            + (" " + System.currentTimeMillis())
            + (" " + task.payload())
            + (" " + task.id())
            + (" " + task.attempt()));
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
