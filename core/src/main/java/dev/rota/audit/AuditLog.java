package dev.rota.audit;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.UnknownTenantException;
import java.util.List;
import java.util.Optional;

/**
 * Records what people change. A tool, such as the dashboard, begins an action here before it
 * changes anything, and ends it here. Entries are kept for 400 days. They stay when their tenant is
 * erased, without its name and their texts. Thread-safe.
 *
 * <p>Each method throws {@link DatabaseException} if the database is not available, or if the role
 * of its login may not write: that of {@code reader} may not.
 *
 * @see Rota#audit()
 */
public interface AuditLog {

  /**
   * Records that an action begins.
   *
   * @param action what a person does
   * @return the number of its entry
   * @throws UnknownTenantException if its tenant does not exist
   */
  long begin(AuditedAction action);

  /**
   * Records how far an action came. Call it at least every half minute, or the action counts as
   * {@linkplain AuditEntry#isInterrupted() interrupted}.
   *
   * @param id the number of its entry
   * @param tasks how many tasks it has changed
   * @return whether it may go on; false if a person asked it to stop
   */
  boolean progress(long id, long tasks);

  /**
   * Records the end of an action. It does nothing if that is recorded already.
   *
   * @param id the number of its entry
   * @param result how it ended; its {@code stopRequested} is ignored
   * @throws IllegalArgumentException if the state is {@link AuditState#RUNNING}
   */
  void end(long id, AuditEntry.Result result);

  /**
   * Asks an action to stop, whichever process runs it.
   *
   * @param id the number of its entry
   * @return whether it is there and has not ended
   */
  boolean requestStop(long id);

  /**
   * Reads an entry.
   *
   * @param id its number
   * @return the entry, or empty
   */
  Optional<AuditEntry> find(long id);

  /**
   * Lists entries, the newest first.
   *
   * @param query which ones
   * @return the entries
   * @throws UnknownTenantException if the tenant of the query does not exist
   */
  List<AuditEntry> list(AuditQuery query);
}
