package dev.rota.transfer.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.store.SegmentKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tenants that have files in an archive. It is listed once, and their names are read once, on
 * demand. Used by one thread.
 */
final class ArchivedTenants {

  private final ObjectStore store;
  private final FetchedFiles files;
  private final Map<Integer, Optional<String>> names = new HashMap<>();
  private @Nullable NavigableMap<Integer, SegmentKey> newest;

  ArchivedTenants(ObjectStore store, FetchedFiles files) {
    this.store = store;
    this.files = files;
  }

  /**
   * The files under the number of a tenant.
   *
   * @param keys the keys of segments, the newest first
   * @param strange keys that are not Rota's
   */
  record Files(List<SegmentKey> keys, List<String> strange) {}

  ObjectStore store() {
    return store;
  }

  NavigableSet<Integer> numbers() throws IOException {
    return newest().navigableKeySet();
  }

  Files files(int number) throws IOException {
    List<SegmentKey> keys = new ArrayList<>();
    List<String> strange = new ArrayList<>();
    for (ObjectStore.StoredObject object : store.list(SegmentKey.prefix(number))) {
      SegmentKey.parse(object.key()).ifPresentOrElse(keys::add, () -> strange.add(object.key()));
    }
    keys.sort(Comparator.comparingInt(SegmentKey::seq).reversed());
    return new Files(keys, strange);
  }

  /** The name in the newest readable file; empty if none is readable. */
  Optional<String> name(int number) throws IOException {
    Optional<String> known = names.get(number);
    if (known == null) {
      known = readName(number);
      names.put(number, known);
    }
    return known;
  }

  private Optional<String> readName(int number) throws IOException {
    for (SegmentKey key : files(number).keys()) {
      Optional<String> name = files.tenantName(key);
      if (name.isPresent()) {
        return name;
      }
    }
    return Optional.empty();
  }

  /** The names of all tenants with a readable file. */
  Map<Integer, String> names() throws IOException {
    Map<Integer, String> all = new TreeMap<>();
    for (int number : numbers()) {
      name(number).ifPresent(name -> all.put(number, name));
    }
    return all;
  }

  /** The number of the tenant with a name; of several the one that was active last. */
  Optional<Integer> numberOf(String name) throws IOException {
    List<SegmentKey> latestFirst = new ArrayList<>(newest().values());
    latestFirst.sort(
        Comparator.comparing(SegmentKey::hour).thenComparing(SegmentKey::tenant).reversed());
    for (SegmentKey key : latestFirst) {
      if (name(key.tenant()).equals(Optional.of(name))) {
        return Optional.of(key.tenant());
      }
    }
    return Optional.empty();
  }

  private NavigableMap<Integer, SegmentKey> newest() throws IOException {
    NavigableMap<Integer, SegmentKey> known = newest;
    if (known == null) {
      known = readNewest();
      newest = known;
    }
    return known;
  }

  /** Reads the keys of all objects, and keeps one of each tenant. */
  private NavigableMap<Integer, SegmentKey> readNewest() throws IOException {
    NavigableMap<Integer, SegmentKey> found = new TreeMap<>();
    store.visit(
        SegmentKey.prefix(),
        object ->
            SegmentKey.parse(object.key())
                .ifPresent(key -> found.merge(key.tenant(), key, ArchivedTenants::newer)));
    return found;
  }

  private static SegmentKey newer(SegmentKey one, SegmentKey other) {
    return one.seq() > other.seq() ? one : other;
  }
}
