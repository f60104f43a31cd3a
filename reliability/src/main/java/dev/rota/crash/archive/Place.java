package dev.rota.crash.archive;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Server;
import dev.rota.archive.StoreAround;
import dev.rota.archive.internal.store.S3Store;
import dev.rota.crash.Steps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

/**
 * The store of the archivers of a test, a folder or a bucket.
 *
 * @param address its address for processes of the test
 * @param file maps a key to its path in the file system
 */
record Place(String address, Function<String, Path> file) {

  private static final String BUCKET = "bucket:";

  /** The size from which files are put in parts: zero, so that small ones are as well. */
  private static final long MOST_AT_ONCE = 0;

  static Place folder(Path folder) {
    return new Place(folder.toString(), folder::resolve);
  }

  static Place bucket(S3Server server) {
    return new Place(BUCKET + server.port(), server::file);
  }

  /** Opens the store without steps. */
  ObjectStore store() {
    return address.startsWith(BUCKET)
        ? ObjectStore.bucket(S3Server.settings(port(address)))
        : ObjectStore.folder(Path.of(address));
  }

  /** Opens the store so that each use is steps: the calls of a folder, the requests to a bucket. */
  static ObjectStore stepped(String address, Steps steps) {
    if (!address.startsWith(BUCKET)) {
      Path folder = Path.of(address);
      return new SteppedStore(ObjectStore.folder(folder), folder, steps);
    }
    S3Server.useCredentials();
    return new DayLater(
        new S3Store(
            S3Server.settings(port(address)),
            MOST_AT_ONCE,
            client ->
                client.overrideConfiguration(
                    options -> options.addExecutionInterceptor(new SteppedRequests(steps)))));
  }

  /** A store that discards also what was put just now, as if a day had passed since. */
  private static final class DayLater extends StoreAround {
    DayLater(ObjectStore store) {
      super(store);
    }

    @Override
    public int discardHalfUploads(Duration age) throws IOException {
      return super.discardHalfUploads(Duration.ZERO);
    }
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(BUCKET.length()));
  }
}
