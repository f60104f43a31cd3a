package dev.rota.crash;

import dev.rota.processes.ProcessLogs;
import dev.rota.testing.ServerTemplate;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory in which the processes of one test leave their logs and accounts. */
public final class LogDirectory {

  private LogDirectory() {}

  /** The work of a test with the directory. */
  @FunctionalInterface
  public interface Act {
    void in(Path directory) throws Exception;
  }

  /** Creates a directory for an act; it is printed and kept if the act fails, else deleted. */
  public static void with(String name, Act act) throws Exception {
    Path directory = ProcessLogs.folder().resolve(name + "-" + ProcessHandle.current().pid());
    ServerTemplate.delete(directory);
    Files.createDirectories(directory);
    try {
      act.in(directory);
    } catch (Exception | AssertionError e) {
      System.out.println("Logs of processes and their accounts: " + directory.toAbsolutePath());
      throw e;
    }
    ServerTemplate.delete(directory);
  }
}
