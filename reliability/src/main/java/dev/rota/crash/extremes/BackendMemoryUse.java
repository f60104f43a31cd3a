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
  private static final Pattern PRIVATE = Pattern.compile("Private_Dirty:\\s+(\\d+) kB");

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

  /** The bytes of each process that no other shares with it, shared memory left out. */
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
    String text = Files.readString(Path.of("/proc", pid, "smaps_rollup"));
    Matcher found = PRIVATE.matcher(text);
    if (!found.find()) {
      throw new IOException("no private memory in " + text);
    }
    return Long.parseLong(found.group(1)) * 1024;
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
