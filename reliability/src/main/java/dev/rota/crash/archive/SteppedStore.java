package dev.rota.crash.archive;

import dev.rota.archive.ObjectStore;
import dev.rota.crash.Steps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A folder that counts two steps for each use, and three for a put, which can end half-way. */
record SteppedStore(ObjectStore folder, Path root, Steps steps) implements ObjectStore {

  @Override
  public void put(String key, Path file) throws IOException {
    steps.reach("before put");
    if (steps.isLast("half-way through put")) {
      leaveHalf(key, file);
      steps.halt("half-way through put");
    }
    folder.put(key, file);
    steps.reach("after put");
  }

  /** Leaves the file of a put that is killed between its first byte and the rename. */
  private void leaveHalf(String key, Path file) throws IOException {
    Path part = root.resolve(key + "." + UUID.randomUUID() + ".part");
    Files.createDirectories(part.getParent());
    byte[] whole = Files.readAllBytes(file);
    Files.write(part, Arrays.copyOf(whole, whole.length / 2));
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    steps.reach("before fetch");
    folder.fetch(key, file);
    steps.reach("after fetch");
  }

  @Override
  public Optional<StoredObject> find(String key) throws IOException {
    steps.reach("before find");
    Optional<StoredObject> found = folder.find(key);
    steps.reach("after find");
    return found;
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    return folder.list(prefix);
  }

  @Override
  public void delete(String key) throws IOException {
    steps.reach("before delete");
    folder.delete(key);
    steps.reach("after delete");
  }

  /** Discards also what was put just now, as if a day had passed since. */
  @Override
  public int discardHalfUploads(Duration age) throws IOException {
    steps.reach("before discard");
    int discarded = folder.discardHalfUploads(Duration.ZERO);
    steps.reach("after discard");
    return discarded;
  }

  @Override
  public void close() {
    folder.close();
  }
}
