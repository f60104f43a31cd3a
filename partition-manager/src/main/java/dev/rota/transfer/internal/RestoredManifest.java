package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.internal.db.BoundStatement.RowReader;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.transfer.TransferException;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the segments of one tenant in the database, and records its restored files. */
final class RestoredManifest {

  private static final Sql LOOK_FOR_ARCHIVED_SEGMENT = Sql.named("look_for_archived_segment");
  private static final Sql LOOK_FOR_SEGMENT = Sql.named("look_for_segment");
  private static final Sql NOTE_RESTORED_IDS = Sql.named("note_restored_ids");
  private static final Sql NOTE_RESTORED_FILE = Sql.named("note_restored_file");

  private final Database database;
  private final RegistryCalls calls;
  private final int tenant;

  RestoredManifest(Database database, RegistryTables tables, int tenant) {
    this.database = database;
    this.calls = new RegistryCalls(tables);
    this.tenant = tenant;
  }

  /** The manifest's entry of a segment; without size and digest while it is being written. */
  record Noted(String key, long bytes, @Nullable String sha256, boolean kept) {}

  /** A segment of the database; times in microseconds since 1970, 0 if it is not sealed. */
  record Segment(long openedAt, long sealedAt) {

    /** Whether the metadata of a file are those of this segment. */
    boolean isIn(SegmentFacts facts) {
      return facts
          .life()
          .filter(life -> life.openedAt() == openedAt && life.sealedAt() == sealedAt)
          .isPresent();
    }
  }

  Optional<Noted> noted(int seq) throws SQLException {
    return ofSegment(
        LOOK_FOR_ARCHIVED_SEGMENT,
        seq,
        row -> new Noted(row.getString(1), row.getLong(2), row.getString(3), row.getBoolean(4)));
  }

  /** Finds a segment, if it is in the database. */
  Optional<Segment> segment(int seq) throws SQLException {
    return ofSegment(LOOK_FOR_SEGMENT, seq, row -> new Segment(row.getLong(1), row.getLong(2)));
  }

  private <T> Optional<T> ofSegment(Sql statement, int seq, RowReader<T> reader)
      throws SQLException {
    return database
        .tryTransaction(
            statement.call(), session -> session.run(calls.query(statement, reader, tenant, seq)))
        .stream()
        .findFirst();
  }

  /** Records a file; false if another process was faster. */
  boolean note(SegmentKey key, RestoredFile file) throws SQLException {
    return database.tryTransaction(NOTE_RESTORED_FILE.call(), session -> note(session, key, file));
  }

  private boolean note(Session session, SegmentKey key, RestoredFile file) throws SQLException {
    if (session.run(calls.update(NOTE_RESTORED_IDS, file.lastId(), tenant)) == 0) {
      throw new TransferException(
          "tenant " + tenant + " was erased while it was restored; nothing more is restored");
    }
    Optional<SegmentFacts.Life> life = file.facts().life();
    int noted =
        session.run(
            calls.update(
                NOTE_RESTORED_FILE,
                tenant,
                key.seq(),
                key.text(),
                file.bytes(),
                file.facts().rows(),
                file.idSum(),
                life.map(SegmentFacts.Life::states).orElse(null),
                file.sha256(),
                key.hour().toString(),
                life.map(SegmentFacts.Life::openedAt).orElse(null),
                life.map(SegmentFacts.Life::sealedAt).orElse(null),
                file.bounds().toArray(Long[]::new)));
    return noted == 1;
  }
}
