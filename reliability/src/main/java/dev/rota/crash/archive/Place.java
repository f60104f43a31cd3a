package dev.rota.crash.archive;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.archive.internal.store.S3Store;
import dev.rota.crash.Steps;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Where archivers of a test write, a folder or a bucket.
 *
 * @param address how a process of the test is told of it
 * @param file where an object is in the file system
 */
record Place(String address, Function<String, Path> file) {

  private static final String BUCKET = "bucket:";

  /** However small files are, they are put as those that need several parts. */
  private static final long MOST_AT_ONCE = 0;

  static Place folder(Path folder) {
    return new Place(folder.toString(), folder::resolve);
  }

  static Place bucket(S3Server server) {
    return new Place(BUCKET + server.port(), server::file);
  }

  /** Without steps. */
  ObjectStore store() {
    return address.startsWith(BUCKET)
        ? ObjectStore.bucket(S3Server.settings(port(address)))
        : ObjectStore.folder(Path.of(address));
  }

  /** One each use of which is steps: of a folder the calls, of a bucket the requests. */
  static ObjectStore stepped(String address, Steps steps) {
    if (!address.startsWith(BUCKET)) {
      Path folder = Path.of(address);
      return new SteppedStore(ObjectStore.folder(folder), folder, steps);
    }
    S3Server.useCredentials();
    return new S3Store(
        S3Server.settings(port(address)),
        MOST_AT_ONCE,
        client ->
            client.overrideConfiguration(
                options -> options.addExecutionInterceptor(new SteppedRequests(steps))));
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(BUCKET.length()));
  }
}
