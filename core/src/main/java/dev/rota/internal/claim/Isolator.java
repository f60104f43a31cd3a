package dev.rota.internal.claim;

import dev.rota.internal.claim.OddRows.Refused;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows for which the server refuses the claim of a tenant, and sets them aside: those
 * that are odd; else claims less and less, down to the first row. Thread-safe.
 */
final class Isolator {

  private final OddRows oddRows;
  private final @Nullable List<String> kinds;
  private final long mostBytes;

  /**
   * For claims of these kinds, or of all.
   *
   * @param mostBytes memory that runs out sets no row aside that has fewer bytes
   */
  Isolator(OddRows oddRows, @Nullable List<String> kinds, long mostBytes) {
    this.oddRows = oddRows;
    this.mostBytes = mostBytes;
    this.kinds = kinds;
  }

  /**
   * The claim of one tenant that failed.
   *
   * @param database the connection over which to mend it
   * @param request what it asked for
   * @param bound what is known of the tenant's claims; it says in which slot this one failed
   * @param failure why it failed
   */
  record FailedClaim(
      Database database, ClaimRequest request, ClaimBound bound, SQLException failure) {

    private boolean halve() {
      return bound.halve(bound.rows(request.max()));
    }

    private boolean lighten() {
      return bound.lighten(bound.rows(request.max()));
    }

    private <T> T transaction(TransactionBody<T> work) throws SQLException {
      return database.tryTransaction(
          "set aside what cannot be claimed from " + request.tenant().label(), work);
    }
  }

  /**
   * Does what lets the next claim get further.
   *
   * @param first whether the claim failed for the first time
   * @return whether there is a point in trying again
   */
  boolean cure(FailedClaim claim, boolean first) throws SQLException {
    if (SqlErrors.isOutOfMemory(claim.failure)) {
      return claim.lighten() || setAsideFirst(claim, mostBytes);
    }
    return SqlErrors.isAboutContent(claim.failure)
        && ((first && setAsideOdd(claim)) || claim.halve() || setAsideFirst(claim, 0));
  }

  private boolean setAsideOdd(FailedClaim claim) throws SQLException {
    TenantRef tenant = claim.request.tenant();
    int all = 0;
    for (int slot = 0; slot < tenant.state().lanes().slots(); slot++) {
      if ((claim.request.slots() & (1 << slot)) != 0) {
        all += setAsideOdd(claim, slot);
      }
    }
    return all > 0;
  }

  private int setAsideOdd(FailedClaim claim, int slot) throws SQLException {
    int all = 0;
    int moved;
    do {
      moved = claim.transaction(session -> oddRows.move(session, claim.request.tenant(), slot));
      all += moved;
    } while (OddRows.isMost(moved));
    return all;
  }

  private boolean setAsideFirst(FailedClaim claim, long bytes) throws SQLException {
    int slot = claim.bound.failedSlot();
    if (slot < 0) {
      return false;
    }
    String reason = "it cannot be handed over: " + SqlErrors.firstLineOf(claim.failure);
    Refused refused = new Refused(kinds, bytes, reason);
    int moved =
        claim.transaction(
            session -> oddRows.moveFirst(session, claim.request.tenant(), slot, refused));
    return moved > 0;
  }
}
