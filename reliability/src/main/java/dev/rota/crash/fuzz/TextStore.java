package dev.rota.crash.fuzz;

import dev.rota.archive.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Objects in memory, whose keys may be any texts. */
final class TextStore implements ObjectStore {

  private final Map<String, byte[]> objects = new ConcurrentHashMap<>();

  void put(String key, byte[] bytes) {
    objects.put(key, bytes);
  }

  void clear() {
    objects.clear();
  }

  @Override
  public void put(String key, Path file) throws IOException {
    put(key, Files.readAllBytes(file));
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    byte[] bytes = objects.get(key);
    if (bytes == null) {
      throw new NoSuchFileException(key);
    }
    Files.write(file, bytes);
  }

  @Override
  public Optional<StoredObject> find(String key) {
    return Optional.ofNullable(objects.get(key)).map(bytes -> new StoredObject(key, bytes.length));
  }

  @Override
  public List<StoredObject> list(String prefix) {
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .map(entry -> new StoredObject(entry.getKey(), entry.getValue().length))
        .toList();
  }

  @Override
  public void delete(String key) {
    objects.remove(key);
  }

  @Override
  public int discardHalfUploads(Duration age) {
    return 0;
  }

  @Override
  public String toString() {
    return "memory";
  }

  @Override
  public void close() {}
}
