package dev.rota.internal.claim;

import dev.rota.internal.claim.ClaimMemory.ClaimBound;
import dev.rota.internal.claim.InvalidRows.Refused;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows for which the server refuses the claim of a tenant, and sets them aside. It first
 * looks for odd rows, then claims fewer and fewer rows, down to the first one. Thread-safe.
 */
final class Isolator {

  private final InvalidRows invalidRows;
  private final @Nullable List<String> kinds;
  private final long mostBytes;

  /**
   * Creates an isolator for claims of these kinds, or of all.
   *
   * @param mostBytes when memory runs out, rows of fewer bytes are not set aside
   */
  Isolator(InvalidRows invalidRows, @Nullable List<String> kinds, long mostBytes) {
    this.invalidRows = invalidRows;
    this.mostBytes = mostBytes;
    this.kinds = kinds;
  }

  /**
   * The failed claim of one tenant.
   *
   * @param database the connection on which to set rows aside
   * @param request the request that failed
   * @param bound the bounds of the tenant's claims, with the slot in which this one failed
   * @param failure the error
   */
  record FailedClaim(
      Database database, ClaimRequest request, ClaimBound bound, SQLException failure) {

    private boolean halve() {
      return bound.halve(bound.rows(request.max()));
    }

    private boolean isolate() {
      return bound.isolate(bound.rows(request.max()));
    }

    private <T> T transaction(TransactionBody<T> work) throws SQLException {
      return database.tryTransaction(
          "set aside unclaimable rows of " + request.tenant().label(), work);
    }
  }

  /**
   * Removes a cause of the failure, so that the next claim gets further.
   *
   * @param first whether the claim failed for the first time
   * @return whether another try makes sense
   */
  boolean cure(FailedClaim claim, boolean first) throws SQLException {
    if (SqlErrors.isOutOfMemory(claim.failure)) {
      return claim.isolate() || setAsideFirst(claim, mostBytes);
    }
    return SqlErrors.isAboutContent(claim.failure)
        && ((first && setAsideInvalid(claim)) || claim.halve() || setAsideFirst(claim, 0));
  }

  private boolean setAsideInvalid(FailedClaim claim) throws SQLException {
    TenantRef tenant = claim.request.tenant();
    int all = 0;
    for (int slot = 0; slot < tenant.state().lanes().slots(); slot++) {
      if ((claim.request.slots() & (1 << slot)) != 0) {
        all += setAsideInvalid(claim, slot);
      }
    }
    return all > 0;
  }

  private int setAsideInvalid(FailedClaim claim, int slot) throws SQLException {
    int all = 0;
    int moved;
    do {
      moved = claim.transaction(session -> invalidRows.move(session, claim.request.tenant(), slot));
      all += moved;
    } while (InvalidRows.isMost(moved));
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
            session -> invalidRows.moveFirst(session, claim.request.tenant(), slot, refused));
    return moved > 0;
  }
}
