package dev.rota.transfer;

import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The options to {@link TenantTransfer#restoreTenant restore a tenant}, or {@link
 * TenantTransfer#restoreAll all tenants}. Immutable.
 *
 * @param number the number under which its files are in the archive. By default its number here, or
 *     else the number whose newest file has its name
 * @param formerNumbers further numbers that its files may contain, since the tenant was moved from
 *     other databases
 * @param takeOver whether an archive that belongs to another database becomes this one's
 * @param isDryRun whether files are only checked
 */
public record RestoreOptions(
    OptionalInt number, Set<Integer> formerNumbers, boolean takeOver, boolean isDryRun) {

  /**
   * Copies the set.
   *
   * @param number the number under which its files are in the archive
   * @param formerNumbers further numbers that its files may contain
   * @param takeOver whether an archive of another database becomes this one's
   * @param isDryRun whether files are only checked
   */
  public RestoreOptions {
    formerNumbers = Set.copyOf(formerNumbers);
  }

  /**
   * Requires an archive of this database, or one without an owner.
   *
   * @return the default options
   */
  public static RestoreOptions defaults() {
    return new RestoreOptions(OptionalInt.empty(), Set.of(), false, false);
  }

  /**
   * Sets the number of the files, if the tenant has another number here, or another name.
   *
   * @param archived the number in the keys, {@code tenant=<number>/...}
   * @return changed options
   */
  public RestoreOptions withNumber(int archived) {
    return new RestoreOptions(OptionalInt.of(archived), formerNumbers, takeOver, isDryRun);
  }

  /**
   * Adds a number that the tenant had when it was archived, in a database from which it was moved
   * since. Files keep their content when they are moved.
   *
   * @param former its number there
   * @return changed options
   */
  public RestoreOptions withFormerNumber(int former) {
    Set<Integer> all = new HashSet<>(formerNumbers);
    all.add(former);
    return new RestoreOptions(number, all, takeOver, isDryRun);
  }

  /**
   * Makes the archive this database's own. The former owner must be gone: two databases that write
   * into one archive would overwrite each other's files.
   *
   * @return changed options
   */
  public RestoreOptions takingOver() {
    return new RestoreOptions(number, formerNumbers, true, isDryRun);
  }

  /**
   * Only reads and compares all files, and changes nothing.
   *
   * @return changed options
   */
  public RestoreOptions dryRun() {
    return new RestoreOptions(number, formerNumbers, takeOver, true);
  }
}
