package dev.rota.crash.points;

import dev.rota.erasure.Belongings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The expected end of a tenant's tasks: each in one place, in the database or in the archive, and
 * in the expected state. Payloads identify tasks. Used by one thread.
 */
final class Expectation {

  private static final Set<String> ENDS = Set.of("done", "dead", "cancelled", "running");

  private final PointsEnvironment server;
  private final int tenant;
  private final Map<String, String> ends = new TreeMap<>();
  private boolean forgiven;
  private boolean erased;

  Expectation(PointsEnvironment server, int tenant) {
    this.server = server;
    this.tenant = tenant;
  }

  void add(String label, String end) {
    ends.put(label, end);
  }

  void forgive() {
    forgiven = true;
  }

  void eraseTenant() {
    erased = true;
  }

  boolean isErased() {
    return erased;
  }

  /** Fails unless all expectations hold. */
  void verify() throws Exception {
    if (erased) {
      requireNone("left of the tenant", belongings().leftOf(tenant));
    } else {
      verifyTasks();
      verifyObjects();
    }
    requireNone("unfinished files", server.archive().unfinished());
  }

  /** The belongings of the tenant. */
  Belongings belongings() {
    return new Belongings(server::texts, server.archive().kept());
  }

  private void verifyTasks() throws Exception {
    Map<String, String> found = found();
    String left =
        text(
            "select coalesce(string_agg(payload || ' ' || state, ', '), '')"
                + " from rota_%1$d.task_init_%1$d");
    Map<String, String> wanted = new TreeMap<>(ends);
    wanted.values().removeIf(String::isEmpty);
    String open =
        text("select count(*) from rota.task_batch where tenant = %1$d and closed_at is null");
    boolean asWanted = found.equals(wanted) || (forgiven && found.isEmpty());
    if (!asWanted || !left.isEmpty() || !open.equals("0")) {
      throw new AssertionError(
          "expected %s%s, found %s, pending still: '%s', open batches: %s"
              .formatted(wanted, forgiven ? " or nothing" : "", found, left, open));
    }
  }

  /** The ends of each task, in the database and in the files of segments that left it. */
  private Map<String, String> found() throws Exception {
    List<String> attempts =
        new ArrayList<>(texts("select payload || '=' || state from rota_%1$d.task_hist_%1$d"));
    String archived =
        """
        select key from rota.archive a
         where tenant = %1$d and archived_at is not null and expired_at is null
           and not exists (select from rota.segment s
                            where s.tenant = a.tenant and s.seq = a.seq and s.dropped_at is null)""";
    for (String key : texts(archived)) {
      attempts.addAll(server.archive().attempts(key));
    }
    attempts.sort(null);
    Map<String, String> found = new TreeMap<>();
    for (String attempt : attempts) {
      String[] parts = attempt.split("=", 2);
      if (ENDS.contains(parts[1])) {
        found.merge(parts[0], parts[1], (first, second) -> first + "," + second);
      }
    }
    return found;
  }

  /** Checks that each object is in the manifest, and the other way round. */
  private void verifyObjects() throws Exception {
    List<String> known =
        texts(
            "select key from rota.archive where tenant = %1$d and archived_at is not null order by"
                + " key collate \"C\"");
    List<String> present = server.archive().keys(tenant);
    if (!present.equals(known)) {
      throw new AssertionError("the manifest knows of " + known + ", the folder has " + present);
    }
  }

  private List<String> texts(String sql) throws Exception {
    return server.texts(sql.formatted(tenant));
  }

  private String text(String sql) throws Exception {
    return texts(sql).get(0);
  }

  private static void requireNone(String what, List<?> found) {
    if (!found.isEmpty()) {
      throw new AssertionError(what + ": " + found);
    }
  }
}
