package dev.rota.transfer.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.ArchiveSettings;
import dev.rota.archive.internal.SegmentKey;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.internal.Texts;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Finds the files of a tenant in an archive, and makes sure that they are its own and nobody
 * else's. Used once.
 */
final class RestoreSource {

  private final ArchiveSettings archive;
  private final RestoreOptions options;
  private final RestoreRegister register;
  private final FetchedFiles files;
  private final String name;

  RestoreSource(
      ArchiveSettings archive,
      RestoreOptions options,
      RestoreRegister register,
      FetchedFiles files,
      String name) {
    this.archive = archive;
    this.options = options;
    this.register = register;
    this.files = files;
    this.name = name;
  }

  /**
   * Finds them.
   *
   * @param tenant the tenant, if it is registered
   * @param strange gets the keys that are none of Rota's
   * @return at least one, the newest first
   */
  List<SegmentKey> find(Optional<RestoreRegister.Found> tenant, Consumer<String> strange)
      throws IOException, SQLException {
    int archived = archivedNumber(tenant);
    boolean own = tenant.isPresent() && tenant.get().number() == archived;
    requireFree(archived, own);
    List<SegmentKey> keys = keys(archived, strange);
    if (tenant.isPresent() && options.number().isEmpty()) {
      requireName(keys);
    }
    takeArchive(archived, own);
    return keys;
  }

  private int archivedNumber(Optional<RestoreRegister.Found> tenant) throws IOException {
    if (options.number().isPresent()) {
      return options.number().getAsInt();
    }
    return tenant.isPresent() ? tenant.get().number() : numberByName();
  }

  /** The tenant whose newest file has the name; of several the one that was at work last. */
  private int numberByName() throws IOException {
    Optional<SegmentKey> found = Optional.empty();
    for (SegmentKey newest : newestOfEach().values()) {
      boolean later = found.isEmpty() || newest.hour().compareTo(found.get().hour()) >= 0;
      if (later && files.tenantName(newest).equals(Optional.of(name))) {
        found = Optional.of(newest);
      }
    }
    return found
        .orElseThrow(
            () ->
                new TransferException(
                    "no tenant is named '%s', neither here nor by its newest file in the archive's %s; say the number under which its files are there"
                        .formatted(Texts.printable(name), archive.store())))
        .tenant();
  }

  private NavigableMap<Integer, SegmentKey> newestOfEach() throws IOException {
    NavigableMap<Integer, SegmentKey> newest = new TreeMap<>();
    for (ObjectStore.StoredObject object : archive.store().list(SegmentKey.prefix())) {
      SegmentKey.parse(object.key())
          .ifPresent(key -> newest.merge(key.tenant(), key, RestoreSource::newer));
    }
    return newest;
  }

  private static SegmentKey newer(SegmentKey one, SegmentKey other) {
    return one.seq() > other.seq() ? one : other;
  }

  private void requireFree(int archived, boolean own) throws SQLException {
    Optional<String> erased = register.erased(archived);
    if (erased.isPresent()) {
      throw new TransferException(
          "tenant '%s' with number %d was erased from this database, and is not restored; what is in the archive under its number can be removed"
              .formatted(Texts.printable(erased.get()), archived));
    }
    Optional<String> other =
        own ? Optional.empty() : register.holder(List.of(archived)).map(Map.Entry::getValue);
    if (other.isEmpty()) {
      other = register.otherHolder(SegmentKey.prefix(archived), name);
    }
    if (other.isPresent()) {
      throw new TransferException(
          "the files under number %d belong to tenant '%s' here; say the number under which those of '%s' are, or restore into a new database"
              .formatted(archived, Texts.printable(other.get()), Texts.printable(name)));
    }
  }

  private List<SegmentKey> keys(int archived, Consumer<String> strange) throws IOException {
    List<SegmentKey> keys = new ArrayList<>();
    for (ObjectStore.StoredObject object : archive.store().list(SegmentKey.prefix(archived))) {
      SegmentKey.parse(object.key()).ifPresentOrElse(keys::add, () -> strange.accept(object.key()));
    }
    if (keys.isEmpty()) {
      throw new TransferException(
          "the archive's %s has no files of tenant '%s' under number %d; check the place, or say another number"
              .formatted(archive.store(), Texts.printable(name), archived));
    }
    keys.sort(Comparator.comparingInt(SegmentKey::seq).reversed());
    return keys;
  }

  /** Each database gives numbers anew: whoever had this one may have been somebody else. */
  private void requireName(List<SegmentKey> keys) throws IOException {
    for (SegmentKey key : keys) {
      Optional<String> said = files.tenantName(key);
      if (said.isPresent()) {
        if (!said.get().equals(name)) {
          throw new TransferException(
              "the files under number %d are of a tenant that was named '%s', not '%s'; if it is the same one, or its files have another number, say that number"
                  .formatted(key.tenant(), Texts.printable(said.get()), Texts.printable(name)));
        }
        return;
      }
    }
  }

  private void takeArchive(int archived, boolean own) throws IOException, SQLException {
    StoreOwner store = new StoreOwner(archive, Restorer.PREFIX);
    String owner = register.owner();
    Optional<String> found = store.find();
    if (found.equals(Optional.of(owner))) {
      return;
    }
    if (found.isPresent() && !options.takeOver()) {
      throw new TransferException(
          "the archive's %s belongs to another database of Rota, %s, and this one is %s; if that one is gone for ever, take its archive over"
              .formatted(archive.store(), found.get(), owner));
    }
    requireUnusedNumbers(archived, own);
    if (!options.dryRun()) {
      store.take(owner);
      store.require(owner);
    }
  }

  /** The daemon would write over the files of tenants that had the same numbers. */
  private void requireUnusedNumbers(int archived, boolean own) throws IOException, SQLException {
    NavigableMap<Integer, SegmentKey> others = newestOfEach();
    if (!options.dryRun()) {
      register.skipNumbers(others.lastKey());
    }
    if (own) {
      others.remove(archived);
    }
    Optional<Map.Entry<Integer, String>> holder = register.holder(others.keySet());
    if (holder.isPresent()) {
      throw new TransferException(
          "the archive's %s has files under number %d, which is that of tenant '%s' here: this database would write over them. Restore into a new database"
              .formatted(
                  archive.store(),
                  holder.get().getKey(),
                  Texts.printable(holder.get().getValue())));
    }
  }
}
