package dev.rota.archive;

import dev.rota.archive.internal.store.FolderStore;
import dev.rota.archive.internal.store.OptionalLibrary;
import dev.rota.archive.internal.store.S3Store;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Stores files under keys such as {@code tenant=7/hour=2030-01-31T08Z/seq=42.parquet}. Rota has two
 * implementations, for folders and for the S3 protocol; others can be plugged in.
 *
 * <p>Implementations are thread-safe. Every method that fails throws an {@link IOException} whose
 * message names the problem with the store and the remedy. The caller adds the owner of the object.
 */
public interface ObjectStore extends AutoCloseable {

  /**
   * Creates a store over a local or mounted folder. Objects are files; each appears under its name
   * only when it is complete and written through to the disk.
   *
   * @param folder must exist when the store is used, so that an unmounted folder is not mistaken
   *     for an empty archive
   * @return the store
   */
  static ObjectStore folder(Path folder) {
    return new FolderStore(folder);
  }

  /**
   * Creates a store over a bucket with the S3 protocol, with credentials by the chain of the AWS
   * SDK. The chain has environment, system properties, profile, web identity, container and
   * instance.
   *
   * @param settings the bucket, and how to reach it
   * @return the store, which connects on first use
   * @throws IllegalStateException if the optional dependencies {@code software.amazon.awssdk:s3}
   *     and {@code software.amazon.awssdk:url-connection-client} are missing
   */
  static ObjectStore bucket(S3Settings settings) {
    OptionalLibrary.S3.require("A store over a bucket");
    OptionalLibrary.S3_HTTP.require("A store over a bucket");
    return new S3Store(settings);
  }

  /**
   * An object.
   *
   * @param key its key
   * @param bytes its size
   */
  record StoredObject(String key, long bytes) {}

  /**
   * Stores a file, replacing an existing object. A concurrent reader of the key sees the old object
   * or the new one, never a part.
   *
   * @param key the key, of letters, digits and {@code -_.=:/}
   * @param file the file to store
   * @throws IOException if it was not stored, or the outcome is unknown; it can be repeated
   */
  void put(String key, Path file) throws IOException;

  /**
   * Copies an object into a file.
   *
   * @param key the key
   * @param file is replaced
   * @throws java.nio.file.NoSuchFileException if the object does not exist
   * @throws IOException if it could not be read
   */
  void fetch(String key, Path file) throws IOException;

  /**
   * Finds an object.
   *
   * @param key the key
   * @return the object, or empty if it does not exist
   * @throws IOException if the store could not be read
   */
  Optional<StoredObject> find(String key) throws IOException;

  /**
   * Lists the objects whose keys have a prefix.
   *
   * @param prefix the prefix, or the empty text for all
   * @return the objects, ordered by key
   * @throws IOException if the store could not be read
   */
  List<StoredObject> list(String prefix) throws IOException;

  /**
   * Reports the objects whose keys have a prefix one by one, in any order. An archive can have more
   * objects than fit into memory, so an implementation should not collect them first. The default
   * does.
   *
   * @param prefix the prefix, or the empty text for all
   * @param visitor is called with each object
   * @throws IOException if the store could not be read
   */
  default void visit(String prefix, Consumer<StoredObject> visitor) throws IOException {
    list(prefix).forEach(visitor);
  }

  /**
   * Deletes an object, if it exists.
   *
   * @param key the key
   * @throws IOException if it may still exist
   */
  void delete(String key) throws IOException;

  /**
   * Removes the remains of unfinished calls of {@link #put}, and no files of other applications
   * that share the store. A put in progress fails if it takes longer than the given age.
   *
   * @param age how long ago a put must have begun to count as unfinished, by the clocks of this
   *     machine and of the store
   * @return how many were removed
   * @throws IOException if the store could not be read
   */
  int discardHalfUploads(Duration age) throws IOException;

  /**
   * Returns the object itself as a file of this machine, if the store has one. It can then be read
   * without a copy. It must not be written.
   *
   * @param key the key
   * @return its path, or empty if it must be fetched
   */
  default Optional<Path> local(String key) {
    return Optional.empty();
  }

  /** Releases connections. Idempotent. */
  @Override
  void close();
}
