package dev.rota.archive.internal.store;

import dev.rota.archive.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** An object as a file of this machine. */
public final class ObjectFile {

  private ObjectFile() {}

  /**
   * The object itself, where the store has it as a file, or else a copy.
   *
   * @param copy where the copy goes
   * @throws NoSuchFileException if there is no such object
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
