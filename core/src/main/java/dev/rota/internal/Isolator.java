package dev.rota.internal;

import dev.rota.internal.OddRows.Refused;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows for which the server refuses the claim of a tenant, and sets them aside: those
 * that are odd; else claims less and less, down to the first row. Thread-safe.
 */
final class Isolator {

  private final Engine engine;
  private final @Nullable List<String> kinds;
  private final long mostBytes;

  /**
   * For claims of these kinds, or of all.
   *
   * @param mostBytes memory that runs out sets no row aside that has fewer bytes
   */
  Isolator(Engine engine, @Nullable List<String> kinds, long mostBytes) {
    this.engine = engine;
    this.mostBytes = mostBytes;
    this.kinds = kinds;
  }

  /**
   * Does what lets the next claim get further.
   *
   * @param first whether the claim failed for the first time
   * @return whether there is a point in trying again
   */
  boolean cure(
      Database database,
      ClaimRequest request,
      ClaimBound bound,
      SQLException failure,
      boolean first)
      throws SQLException {
    if (Errors.isOutOfMemory(failure)) {
      return bound.lighten(bound.rows(request.max()))
          || setAsideFirst(database, request, bound, refused(mostBytes, failure)) > 0;
    }
    return Errors.isAboutContent(failure) && cureContent(database, request, bound, failure, first);
  }

  private boolean cureContent(
      Database database,
      ClaimRequest request,
      ClaimBound bound,
      SQLException failure,
      boolean first)
      throws SQLException {
    return (first && setAsideOdd(database, request) > 0)
        || bound.halve(bound.rows(request.max()))
        || setAsideFirst(database, request, bound, refused(0, failure)) > 0;
  }

  private int setAsideOdd(Database database, ClaimRequest request) throws SQLException {
    int all = 0;
    int[] slots =
        IntStream.range(0, request.tenant().state().lanes().slots())
            .filter(slot -> (request.slots() & (1 << slot)) != 0)
            .toArray();
    for (int slot : slots) {
      int moved;
      do {
        moved =
            database.tryTransaction(
                purpose(request),
                session -> engine.oddRows().move(session, request.tenant(), slot));
        all += moved;
      } while (OddRows.isMost(moved));
    }
    return all;
  }

  private int setAsideFirst(
      Database database, ClaimRequest request, ClaimBound bound, Refused refused)
      throws SQLException {
    int slot = bound.failedSlot();
    if (slot < 0) {
      return 0;
    }
    return database.tryTransaction(
        purpose(request),
        session -> engine.oddRows().moveFirst(session, request.tenant(), slot, refused));
  }

  private Refused refused(long bytes, SQLException failure) {
    return new Refused(kinds, bytes, "it cannot be handed over: " + Errors.firstLineOf(failure));
  }

  private static String purpose(ClaimRequest request) {
    return "set aside what cannot be claimed from " + request.tenant().label();
  }
}
