package dev.rota.transfer.internal;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The contents of an export: its file {@code manifest.json}, written last. Refuses nulls, which
 * JSON may have anywhere, with a {@link NullPointerException}.
 *
 * @param format the version of the format
 * @param export the identity of this export
 * @param tenant the registry's entry of the tenant
 * @param files all files except the manifest
 * @param rows the number of rows by sort
 */
record ExportManifest(
    int format, String export, TenantFacts tenant, List<FileFacts> files, Map<String, Long> rows) {

  /** The version of the only format. */
  static final int FORMAT = 2;

  ExportManifest {
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(tenant, "tenant");
    files = List.copyOf(files);
    rows = Map.copyOf(rows);
  }

  /**
   * A tenant.
   *
   * @param number its number in the exporting database
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
   * @param exportedAt the moment of the export, by the clock of its database
   * @param createdAt the time at which it was registered
   * @param lastTaskId the upper bound of its task ids
   * @param currentSegment the upper bound of its segment numbers
   * @param policy its retention policy
   */
  record Marks(
      long exportedAt, long createdAt, long lastTaskId, int currentSegment, PolicyFacts policy) {
    Marks {
      Objects.requireNonNull(policy, "policy");
    }
  }

  /**
   * A policy; null means the daemon's settings.
   *
   * @param legalHold whether no record of it may be dropped
   * @param archive whether segments are archived
   * @param keep how long history and archive are kept
   * @param segmentAge the age at which segments are sealed
   * @param segmentBytes the size from which segments are sealed
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
   * @param rows the number of its rows
   * @param bytes its size
   * @param sha256 its digest
   */
  record FileFacts(String path, long rows, long bytes, String sha256) {
    FileFacts {
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(sha256, "sha256");
    }
  }

  /** Finds a file by its path. */
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
