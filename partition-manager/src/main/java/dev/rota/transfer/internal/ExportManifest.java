package dev.rota.transfer.internal;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an export holds: its file {@code manifest.json}, written last. Refuses nulls, which JSON may
 * have anywhere, with a {@link NullPointerException}.
 *
 * @param format the version of the format
 * @param export tells this export from all others
 * @param tenant what the registry said of the tenant
 * @param files all files beside this one
 * @param rows how many rows of what
 */
record ExportManifest(
    int format, String export, TenantFacts tenant, List<FileFacts> files, Map<String, Long> rows) {

  /** The only format that there is. */
  static final int FORMAT = 1;

  ExportManifest {
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(tenant, "tenant");
    files = List.copyOf(files);
    rows = Map.copyOf(rows);
  }

  /**
   * A tenant.
   *
   * @param number its number where it came from
   * @param name its name there
   * @param closed whether it refused new tasks
   * @param lanes the priorities of its lanes, that of lane 0 first
   * @param marks further facts
   */
  record TenantFacts(int number, String name, boolean closed, List<Integer> lanes, Marks marks) {
    TenantFacts {
      Objects.requireNonNull(name, "name");
      lanes = List.copyOf(lanes);
      Objects.requireNonNull(marks, "marks");
    }
  }

  /**
   * Facts of a tenant, times and spans in microseconds.
   *
   * @param exportedAt the moment as of which it was exported, by the clock of its database
   * @param createdAt when it was registered
   * @param lastTaskId no task of it has a greater id
   * @param currentSegment no segment of it has a greater number
   * @param policy what holds for it
   */
  record Marks(
      long exportedAt, long createdAt, long lastTaskId, int currentSegment, PolicyFacts policy) {
    Marks {
      Objects.requireNonNull(policy, "policy");
    }
  }

  /**
   * A policy; null stands for the daemon's settings.
   *
   * @param legalHold whether nothing of it may be dropped
   * @param archive whether segments are archived
   * @param keep how long history and archive are kept
   * @param segmentAge when segments are sealed
   * @param segmentBytes at which size
   */
  record PolicyFacts(
      boolean legalHold,
      @Nullable Boolean archive,
      Keep keep,
      @Nullable Long segmentAge,
      @Nullable Long segmentBytes) {
    PolicyFacts {
      Objects.requireNonNull(keep, "keep");
    }
  }

  /** How long history is kept in the database, and in the archive. */
  record Keep(@Nullable Long history, @Nullable Long archive) {}

  /**
   * A file.
   *
   * @param path within the folder
   * @param rows how many it has
   * @param bytes its size
   * @param sha256 its digest
   */
  record FileFacts(String path, long rows, long bytes, String sha256) {
    FileFacts {
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(sha256, "sha256");
    }
  }

  /** A file by its path. */
  Optional<FileFacts> file(String path) {
    return files.stream().filter(file -> file.path().equals(path)).findFirst();
  }

  /** The files in a folder of the export. */
  List<FileFacts> filesIn(String folder) {
    return files.stream().filter(file -> file.path().startsWith(folder + "/")).toList();
  }

  long bytes() {
    return files.stream().mapToLong(FileFacts::bytes).sum();
  }
}
