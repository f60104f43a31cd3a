package dev.rota.transfer.internal;

import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.internal.text.SafeText;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds the files of a tenant, and checks that they are the tenant's own. Only reads. Used by one
 * thread.
 */
final class RestorePlanner {

  private final TenantLookup lookup;
  private final ArchivedTenants archived;

  RestorePlanner(TenantLookup lookup, ArchivedTenants archived) {
    this.lookup = lookup;
    this.archived = archived;
  }

  /**
   * Plans by its name here, or in its files.
   *
   * @param said the number of the files, if the caller gave it
   */
  RestorePlan plan(String name, OptionalInt said) throws IOException, SQLException {
    Optional<TenantLookup.Here> here = find(name);
    int number = said.isPresent() ? said.getAsInt() : archivedNumber(name, here);
    RestorePlan plan = plan(name, number, here);
    if (here.isPresent() && said.isEmpty()) {
      requireName(number, name);
    }
    return plan;
  }

  /** Plans by the number in the keys of its files. */
  RestorePlan plan(int number) throws IOException, SQLException {
    String name =
        archived
            .name(number)
            .orElseThrow(
                () ->
                    new TransferException(
                        "none of the files can be read, so that their tenant is unknown; restore the tenant by its name and this number to see what is wrong with each"));
    Optional<TenantLookup.Here> here = find(name);
    int meant = here.isPresent() ? here.get().number() : archived.numberOf(name).orElse(number);
    if (meant != number) {
      throw new TransferException(
          "the files are of a tenant that was named '%s', as is the one with number %d; if it is the same one, restore it by its name and this number"
              .formatted(SafeText.whole(name), meant));
    }
    return plan(name, number, here);
  }

  private Optional<TenantLookup.Here> find(String name) throws SQLException {
    Optional<TenantLookup.Here> here = lookup.find(name);
    if (here.isPresent() && here.get().importing()) {
      throw new TransferException(
          "tenant '%s' is being imported; finish that, or erase it, before it is restored"
              .formatted(SafeText.whole(name)));
    }
    return here;
  }

  private int archivedNumber(String name, Optional<TenantLookup.Here> here) throws IOException {
    if (here.isPresent()) {
      return here.get().number();
    }
    return archived
        .numberOf(name)
        .orElseThrow(
            () ->
                new TransferException(
                    "no tenant is named '%s', neither here nor by its newest file in the archive's %s; say the number under which its files are there"
                        .formatted(SafeText.whole(name), archived.store())));
  }

  private RestorePlan plan(String name, int archivedNumber, Optional<TenantLookup.Here> here)
      throws IOException, SQLException {
    int number = here.map(TenantLookup.Here::number).orElse(archivedNumber);
    requireNotErased(archivedNumber);
    requireNobodyElses(name, archivedNumber);
    ArchivedTenants.Files files = archived.files(archivedNumber);
    if (files.keys().isEmpty()) {
      throw new TransferException(
          "the archive's %s has no files of tenant '%s' under number %d; check the place, or say another number"
              .formatted(archived.store(), SafeText.whole(name), archivedNumber));
    }
    return new RestorePlan(name, number, here.isPresent(), files);
  }

  private void requireNotErased(int archivedNumber) throws SQLException {
    Optional<String> erased = lookup.erased(archivedNumber);
    if (erased.isPresent()) {
      throw new TransferException(
          "tenant '%s' with number %d was erased from this database, and is not restored; the archived files under its number can be removed"
              .formatted(SafeText.whole(erased.get()), archivedNumber));
    }
  }

  private void requireNobodyElses(String name, int archivedNumber) throws SQLException {
    Optional<String> other =
        lookup.holders(List.of(archivedNumber)).stream()
            .map(TenantLookup.Holder::name)
            .filter(holder -> !holder.equals(name))
            .findFirst();
    if (other.isEmpty()) {
      other = lookup.otherHolder(SegmentKey.prefix(archivedNumber), name);
    }
    if (other.isPresent()) {
      throw new TransferException(
          "the files under number %d belong to tenant '%s' here; say the number under which those of '%s' are, or restore into a new database"
              .formatted(archivedNumber, SafeText.whole(other.get()), SafeText.whole(name)));
    }
  }

  /**
   * Checks the name. Each database numbers tenants itself, so the number may have belonged to
   * another tenant.
   */
  private void requireName(int number, String name) throws IOException {
    Optional<String> said = archived.name(number);
    if (said.isPresent() && !said.get().equals(name)) {
      throw new TransferException(
          "the files under number %d are of a tenant that was named '%s', not '%s'; if it is the same one, or its files have another number, say that number"
              .formatted(number, SafeText.whole(said.get()), SafeText.whole(name)));
    }
  }
}
