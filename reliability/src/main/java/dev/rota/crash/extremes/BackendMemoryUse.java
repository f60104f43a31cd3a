package dev.rota.crash.extremes;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the memory of the backends of Rota's connections, by their own report and by that of the
 * system.
 */
final class BackendMemoryUse {

  private static final Pattern TOTAL =
      Pattern.compile("\\[(\\d+)\\].*Grand total: (\\d+) bytes in \\d+ blocks");

  /** The rights of a mapping's first line end with {@code s} if its pages are shared memory. */
  private static final Pattern MAPPING =
      Pattern.compile("[0-9a-f]+-[0-9a-f]+ [-r][-w][-x]([ps]) .*");

  private static final Pattern DIRTY = Pattern.compile("Private_Dirty:\\s+(\\d+) kB");

  private final ControlledServer server;

  BackendMemoryUse(ControlledServer server) {
    this.server = server;
  }

  /** The bytes of each backend's memory contexts, by its process. */
  Map<Integer, Long> contexts() throws Exception {
    List<String> pids = backends();
    long logged = Files.size(server.log());
    for (String pid : pids) {
      server.execute("select pg_log_backend_memory_contexts(" + pid + ")");
    }
    Await.atLeast("all have answered", () -> totals(logged).size(), pids.size());
    return totals(logged);
  }

  /**
   * The bytes of each process that no other shares with it. The system counts a page of shared
   * memory as private too, as long as one process alone has touched it; those are left out.
   */
  Map<Integer, Long> privateBytes() throws Exception {
    Map<Integer, Long> bytes = new HashMap<>();
    for (String pid : backends()) {
      bytes.put(Integer.valueOf(pid), privateBytes(pid));
    }
    return bytes;
  }

  private List<String> backends() throws SQLException {
    return server.texts("select pid from pg_stat_activity where application_name = 'rota'");
  }

  private static long privateBytes(String pid) throws IOException {
    long kilobytes = 0;
    boolean shared = false;
    for (String line : Files.readAllLines(Path.of("/proc", pid, "smaps"))) {
      Matcher mapping = MAPPING.matcher(line);
      Matcher dirty = DIRTY.matcher(line);
      if (mapping.matches()) {
        shared = mapping.group(1).equals("s");
      } else if (dirty.matches() && !shared) {
        kilobytes += Long.parseLong(dirty.group(1));
      }
    }
    if (kilobytes == 0) {
      throw new IOException("no private memory of process " + pid);
    }
    return kilobytes * 1024;
  }

  private Map<Integer, Long> totals(long from) throws IOException {
    Map<Integer, Long> totals = new HashMap<>();
    Files.readString(server.log())
        .substring((int) from)
        .lines()
        .map(TOTAL::matcher)
        .filter(Matcher::find)
        .forEach(
            found -> totals.put(Integer.valueOf(found.group(1)), Long.valueOf(found.group(2))));
    return totals;
  }
}
