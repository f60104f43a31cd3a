package dev.rota.transfer;

import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How a tenant is {@link TenantTransfer#restoreTenant restored}, or {@link
 * TenantTransfer#restoreAll all of them}. Immutable.
 *
 * @param number the number under which its files are in the archive; by default the one that the
 *     tenant has here, or else the one whose newest file has its name
 * @param formerNumbers further numbers that its files may say that they are of, since the tenant
 *     was moved from other databases
 * @param takeOver whether an archive that belongs to another database becomes this one's
 * @param isDryRun whether files are only looked at
 */
public record RestoreOptions(
    OptionalInt number, Set<Integer> formerNumbers, boolean takeOver, boolean isDryRun) {

  /**
   * Copies the set.
   *
   * @param number the number under which its files are in the archive
   * @param formerNumbers further numbers that its files may say that they are of
   * @param takeOver whether an archive of another database becomes this one's
   * @param isDryRun whether files are only looked at
   */
  public RestoreOptions {
    formerNumbers = Set.copyOf(formerNumbers);
  }

  /**
   * The archive must be this database's already, or nobody's.
   *
   * @return the least that can be asked for
   */
  public static RestoreOptions defaults() {
    return new RestoreOptions(OptionalInt.empty(), Set.of(), false, false);
  }

  /**
   * Says under which number the files are, if the tenant has another one here, or another name.
   *
   * @param archived as in the keys, {@code tenant=<number>/...}
   * @return changed options
   */
  public RestoreOptions withNumber(int archived) {
    return new RestoreOptions(OptionalInt.of(archived), formerNumbers, takeOver, isDryRun);
  }

  /**
   * Says that the tenant had another number when it was archived, in a database from which it was
   * moved since: files are moved as they are.
   *
   * @param former the number that it had there
   * @return changed options
   */
  public RestoreOptions withFormerNumber(int former) {
    Set<Integer> all = new HashSet<>(formerNumbers);
    all.add(former);
    return new RestoreOptions(number, all, takeOver, isDryRun);
  }

  /**
   * Makes the archive this database's own. The one that it belonged to must be gone: two that write
   * into one archive would overwrite each other's files.
   *
   * @return changed options
   */
  public RestoreOptions takingOver() {
    return new RestoreOptions(number, formerNumbers, true, isDryRun);
  }

  /**
   * Only read and compare all files, and change nothing.
   *
   * @return changed options
   */
  public RestoreOptions dryRun() {
    return new RestoreOptions(number, formerNumbers, takeOver, true);
  }
}
