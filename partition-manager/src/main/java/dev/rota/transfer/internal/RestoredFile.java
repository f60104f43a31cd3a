package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.FileSeal;
import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.store.SegmentKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A file of the archive that agrees with its metadata.
 *
 * @param bytes its size
 * @param sha256 its digest
 * @param facts its metadata
 * @param idSum the sum of its ids
 * @param bounds least and greatest id, time of enqueue and time of claim, and the last of all
 *     times; in microseconds since 1970
 */
record RestoredFile(
    long bytes, String sha256, SegmentFacts facts, String idSum, List<@Nullable Long> bounds) {

  private static final String ADVICE =
      "; put the archived file back, or remove this one if that is lost";

  private static final String SUMS =
      "select count(*), coalesce(sum(id), 0)::varchar, min(id), max(id),"
          + " epoch_us(min(created_at)), epoch_us(max(created_at)),"
          + " epoch_us(min(claimed_at)), epoch_us(max(claimed_at)),"
          + " epoch_us(max(greatest(created_at, claimed_at, finished_at))) from ";

  private static final int FIRST_BOUND = 3;
  private static final int LAST_BOUND = 9;

  private record Sums(long rows, String ids, List<@Nullable Long> bounds) {}

  /**
   * Reads a file.
   *
   * @param key its key
   * @param expected whether it may be of a tenant of that number
   * @throws UnfitFileException if the file is damaged or foreign
   */
  static RestoredFile read(DuckDbFile duck, Path file, SegmentKey key, IntPredicate expected)
      throws IOException, UnfitFileException {
    FileSeal seal = FileSeal.of(file);
    if (seal.finding() == FileSeal.Finding.TORN) {
      throw new UnfitFileException("it is no Parquet file, or only a part of one" + ADVICE);
    }
    SegmentFacts facts = facts(duck, file);
    requireUnchanged(seal, facts);
    requireOwn(facts, key, expected);
    Sums sums = sums(duck, file);
    if (sums.rows() != facts.rows()) {
      throw new UnfitFileException(
          "it has " + sums.rows() + " attempts, and says " + facts.rows() + ADVICE);
    }
    return new RestoredFile(seal.bytes(), seal.sha256(), facts, sums.ids(), sums.bounds());
  }

  /** Reads the metadata of a file, complete or not. */
  static SegmentFacts facts(DuckDbFile duck, Path file) throws UnfitFileException {
    try {
      return SegmentFacts.read(duck, file)
          .orElseThrow(() -> new UnfitFileException("it was not written by Rota; remove it"));
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static UnfitFileException unreadable(IOException e) {
    return new UnfitFileException(String.valueOf(e.getMessage()) + ADVICE);
  }

  /**
   * Checks the digest. Only files of older versions, which do not contain the life of their
   * segment, have none.
   */
  private static void requireUnchanged(FileSeal seal, SegmentFacts facts)
      throws UnfitFileException {
    boolean unsealed = seal.finding() == FileSeal.Finding.UNSEALED;
    if (seal.finding() == FileSeal.Finding.CHANGED || (unsealed && facts.life().isPresent())) {
      throw new UnfitFileException(
          "it was changed since it was archived: its digest is not the one in its metadata"
              + ADVICE);
    }
  }

  private static void requireOwn(SegmentFacts facts, SegmentKey key, IntPredicate expected)
      throws UnfitFileException {
    if (!expected.test(facts.tenant())) {
      throw new UnfitFileException(
          "it says that it is of tenant '%s' with number %d; if this tenant had that number where it was moved from, say so, or else remove the file"
              .formatted(facts.tenantName(), facts.tenant()));
    }
    if (facts.segment() != key.seq()) {
      throw new UnfitFileException(
          "it says that it is segment " + facts.segment() + "; give it back its own name");
    }
  }

  private static Sums sums(DuckDbFile duck, Path file) throws UnfitFileException {
    try {
      return duck.query(
          SUMS + DuckDbFile.parquet(file),
          row -> {
            row.next();
            List<@Nullable Long> bounds = new ArrayList<>();
            for (int column = FIRST_BOUND; column <= LAST_BOUND; column++) {
              bounds.add(RowFile.number(row, column));
            }
            return new Sums(row.getLong(1), row.getString(2), bounds);
          });
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** The greatest id; zero without any. */
  long lastId() {
    Long last = bounds.get(1);
    return last == null ? 0 : last;
  }
}
