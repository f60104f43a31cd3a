package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.SegmentSource;
import dev.rota.archive.internal.parquet.Contents;
import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes segments of the database, each as a file like those of the archive. Tasks that run at that
 * moment are lost in the copy, and pending once more. Used by one thread.
 */
final class HistoryFiles implements SegmentSource.Running {

  private static final String REASON = "it ran when its tenant was exported";

  private final RegistryTables rota;
  private final @Nullable DefaultArchive archive;
  private final ExportFolder folder;
  private final Moment moment;
  private @Nullable LaneFiles rings;
  private long rows;

  /**
   * The moment of the export.
   *
   * @param tenant the exported tenant
   * @param open its open batches
   * @param time the time in microseconds since 1970
   * @param memory how many bytes DuckDB may use
   */
  record Moment(TenantRef tenant, Set<Long> open, long time, long memory) {}

  HistoryFiles(
      RegistryTables rota, @Nullable DefaultArchive archive, ExportFolder folder, Moment moment) {
    this.rota = rota;
    this.archive = archive;
    this.folder = folder;
    this.moment = moment;
  }

  /** The name of the file of a segment. */
  static String name(long seq) {
    return ExportFolder.HISTORY + "/seq=" + seq + ".parquet";
  }

  /** The number of attempts written. */
  long rows() {
    return rows;
  }

  /**
   * Writes a segment, unless it is empty.
   *
   * @param older its row of the archive, if it was archived: the file has times that the ledger may
   *     no longer have
   */
  void write(Snapshot snapshot, int seq, @Nullable Object @Nullable [] older, LaneFiles pending)
      throws IOException, SQLException {
    rings = pending;
    SegmentSource source = new SegmentSource(snapshot::part, rota, moment.tenant(), seq);
    try (Staging staging = Staging.open(folder.work(), "segment", moment.memory())) {
      long unused = source.readInto(staging, this);
      if (older != null) {
        completeFrom(staging, String.valueOf(older[3]));
      }
      Contents contents = staging.contents();
      if (contents.rows() > 0) {
        SegmentFacts facts =
            new SegmentFacts(
                moment.tenant().number(),
                moment.tenant().state().name(),
                seq,
                contents.rows(),
                Optional.empty());
        folder.write(name(seq), contents.rows(), file -> facts.write(staging, file));
        rows += contents.rows();
      }
    }
  }

  private void completeFrom(Staging staging, String key) throws IOException {
    if (archive == null) {
      throw new TransferException(
          moment.tenant().label()
              + " has archived history; say where its archive is, so that it is exported too");
    }
    Path file = staging.file("older.parquet");
    archive.store().fetch(key, file);
    staging.completeFrom(file);
  }

  @Override
  public boolean isOpen(long batch) {
    return moment.open().contains(batch);
  }

  @Override
  public Staging.Ending end(ResultSet row) throws SQLException {
    LaneFiles pending = rings;
    if (pending == null) {
      throw new IllegalStateException("nothing is read");
    }
    try {
      pending
          .of(row.getInt(11))
          .append(
              row.getLong(1),
              row.getLong(13),
              RowFile.number(row, 3),
              row.getLong(4),
              row.getString(6),
              row.getString(7),
              row.getString(9),
              RowFile.number(row, 12));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    pending.countRunning();
    return new Staging.Ending(AttemptStateCode.LOST.label(), REASON, moment.time());
  }
}
