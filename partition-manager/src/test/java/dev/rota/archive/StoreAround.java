package dev.rota.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Delegates to another store; a test overrides single methods. */
public class StoreAround implements ObjectStore {

  private final ObjectStore inner;

  public StoreAround(ObjectStore inner) {
    this.inner = inner;
  }

  @Override
  public void put(String key, Path file) throws IOException {
    inner.put(key, file);
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    inner.fetch(key, file);
  }

  @Override
  public Optional<StoredObject> find(String key) throws IOException {
    return inner.find(key);
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    return inner.list(prefix);
  }

  @Override
  public void visit(String prefix, Consumer<StoredObject> visitor) throws IOException {
    inner.visit(prefix, visitor);
  }

  @Override
  public void delete(String key) throws IOException {
    inner.delete(key);
  }

  @Override
  public int discardHalfUploads(Duration age) throws IOException {
    return inner.discardHalfUploads(age);
  }

  @Override
  public Optional<Path> local(String key) {
    return inner.local(key);
  }

  @Override
  public void close() {
    inner.close();
  }
}
