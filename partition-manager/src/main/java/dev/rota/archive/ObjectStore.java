package dev.rota.archive;

import dev.rota.archive.internal.store.FolderStore;
import dev.rota.archive.internal.store.OptionalLibrary;
import dev.rota.archive.internal.store.S3Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A place for files under keys such as {@code tenant=7/hour=2030-01-31T08Z/seq=42.parquet}. Rota
 * brings two, for folders and for whatever speaks the S3 protocol; others can be plugged in.
 *
 * <p>Implementations are thread-safe. Every method that fails throws an {@link IOException} whose
 * message says what is wrong with the store and what to do; the caller adds whose object it was.
 */
public interface ObjectStore extends AutoCloseable {

  /**
   * A local or mounted folder. Objects are files; each appears under its name only when it is
   * complete and written through to the disk.
   *
   * @param folder must exist when the store is used, so that a folder that is not mounted is told
   *     from an empty archive
   * @return the store
   */
  static ObjectStore folder(Path folder) {
    return new FolderStore(folder);
  }

  /**
   * A bucket of whatever speaks the S3 protocol, with credentials by the chain of the AWS SDK:
   * environment, system properties, profile, web identity, container, instance.
   *
   * @param settings which bucket, and how to reach it
   * @return the store, which connects when it is used first
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
   * Stores a file, in the place of one that is there already. Whoever reads the key meanwhile sees
   * the old object or the new one, never a part.
   *
   * @param key the key, of letters, digits and {@code -_.=:/}
   * @param file what to store
   * @throws IOException if it was not stored, or nobody knows; it can be repeated
   */
  void put(String key, Path file) throws IOException;

  /**
   * Copies an object into a file.
   *
   * @param key the key
   * @param file is replaced
   * @throws java.nio.file.NoSuchFileException if there is no such object
   * @throws IOException if it could not be read
   */
  void fetch(String key, Path file) throws IOException;

  /**
   * Looks for an object.
   *
   * @param key the key
   * @return the object, or empty if there is none
   * @throws IOException if the store could not be asked
   */
  Optional<StoredObject> find(String key) throws IOException;

  /**
   * The objects whose keys begin so.
   *
   * @param prefix the beginning, or the empty text for all
   * @return them, ordered by key
   * @throws IOException if the store could not be asked
   */
  List<StoredObject> list(String prefix) throws IOException;

  /**
   * Deletes an object, if it is there.
   *
   * @param key the key
   * @throws IOException if it may still be there
   */
  void delete(String key) throws IOException;

  /**
   * Removes what calls of {@link #put} have left that did not come to their end, and nothing of
   * other applications that use the same place. One that is under way may fail by it, so only the
   * one process calls it that holds the archiver's lock.
   *
   * @return how many were removed
   * @throws IOException if the store could not be asked
   */
  int discardHalfUploads() throws IOException;

  /**
   * The object itself as a file of this machine, where there is such a thing, so that it need not
   * be copied to be read. It must not be written.
   *
   * @param key the key
   * @return its path, or empty if it must be fetched
   */
  default Optional<Path> local(String key) {
    return Optional.empty();
  }

  /** Lets go of connections. Idempotent. */
  @Override
  void close();
}
