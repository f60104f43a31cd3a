package dev.rota.crash.erasure;

import dev.rota.archive.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A store that tells the steps of who erases from it, each before and after it is done. */
record SteppedDeletes(ObjectStore store, Consumer<String> steps) implements ObjectStore {

  @Override
  public void put(String key, Path file) throws IOException {
    store.put(key, file);
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    store.fetch(key, file);
  }

  @Override
  public Optional<StoredObject> find(String key) throws IOException {
    return store.find(key);
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    steps.accept("before listing objects");
    List<StoredObject> found = store.list(prefix);
    steps.accept("after listing objects");
    return found;
  }

  @Override
  public void delete(String key) throws IOException {
    steps.accept("before deleting an object");
    store.delete(key);
    steps.accept("after deleting an object");
  }

  @Override
  public int discardHalfUploads() throws IOException {
    return store.discardHalfUploads();
  }

  @Override
  public void close() {
    store.close();
  }
}
