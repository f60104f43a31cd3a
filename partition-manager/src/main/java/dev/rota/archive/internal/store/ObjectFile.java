package dev.rota.archive.internal.store;

import dev.rota.archive.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads an object as a file of this machine. */
public final class ObjectFile {

  private ObjectFile() {}

  /**
   * Returns the object itself, where the store has it as a file, or else a copy.
   *
   * @param copy the path of the copy
   * @throws NoSuchFileException if the object does not exist
   */
  public static Path read(ObjectStore store, String key, Path copy) throws IOException {
    Optional<Path> itself = store.local(key);
    if (itself.isEmpty()) {
      store.fetch(key, copy);
      return copy;
    }
    if (!Files.isRegularFile(itself.get())) {
      throw new NoSuchFileException(key);
    }
    return itself.get();
  }
}
