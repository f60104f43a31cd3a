package dev.rota.archive.internal;

import dev.rota.UnknownTenantException;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.retention.SegmentId;
import dev.rota.history.ArchiveException;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.text.ErrorText;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/**
 * Runs work on single segments of the archive. A segment whose work fails is skipped for a while,
 * and the reason is recorded in the manifest. Used by one thread.
 */
final class SegmentFailures {

  private final LeaderSession leader;
  private final TenantRegistry registry;
  private final ArchiveManifest manifest;
  private final ArchiveCounters counters;
  private final FailureTracker<SegmentId> failures;

  /** Work on one segment. */
  interface Attempt {
    void run() throws IOException, SQLException;
  }

  /** Creates the failures of one kind of work, with its name in messages, such as "archive". */
  SegmentFailures(
      LeaderSession leader,
      TenantRegistry registry,
      ArchiveManifest manifest,
      ArchiveCounters counters,
      String work) {
    this.leader = leader;
    this.registry = registry;
    this.manifest = manifest;
    this.counters = counters;
    this.failures = new FailureTracker<>(work);
  }

  Set<SegmentId> avoided() {
    return failures.avoided();
  }

  /** Runs the work, unless the segment is skipped at present. */
  void attempt(SegmentId segment, String key, Attempt attempt) {
    String label = label(segment) + (key.isEmpty() ? "" : ", object " + key);
    failures.attempt(
        segment,
        label,
        () -> {
          try {
            attempt.run();
          } catch (IOException | ArchiveException e) {
            counters.failures.incrementAndGet();
            note(segment, e);
          }
        });
  }

  /** The name of a segment in messages, also if its tenant is gone. */
  private String label(SegmentId segment) {
    String tenant;
    try {
      tenant = registry.get(segment.tenant()).label();
    } catch (UnknownTenantException e) {
      tenant = "tenant " + segment.tenant() + ", which is gone";
    }
    return "segment " + segment.seq() + " of " + tenant;
  }

  private void note(SegmentId segment, Exception e) throws SQLException {
    String reason = String.valueOf(e.getMessage());
    leader.transaction(
        "note trouble with the archive",
        session -> manifest.trouble(session, segment, ErrorText.cut(reason)));
    throw new ArchiveException(reason, e);
  }
}
