package dev.rota.crash.server;

import dev.rota.testing.ServerTemplate;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configures and starts a {@link ControlledServer}. */
public final class ControlledServerBuilder {

  private final int major;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final DataDirectory.Contents contents;
  private @Nullable Path directory;
  private @Nullable Path walDirectory;

  ControlledServerBuilder(int major) {
    this(major, target -> ServerTemplate.of(major).copyTo(target));
  }

  ControlledServerBuilder(int major, DataDirectory.Contents contents) {
    this.major = major;
    this.contents = contents;
    settings.putAll(ControlledServer.DURABLE);
    settings.put("shared_buffers", "128MB");
    settings.put("max_connections", "200");
    settings.put("max_locks_per_transaction", "256");
    settings.put("listen_addresses", "127.0.0.1");
    settings.put("unix_socket_directories", "");
    settings.put("log_line_prefix", "%m [%p] %a ");
  }

  /** Sets a server parameter, overriding the test kit's value or the default. */
  public ControlledServerBuilder set(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /**
   * Sets the parent directory of the data, such as a {@link SmallDisk}; by default a temporary
   * directory.
   */
  public ControlledServerBuilder dataIn(Path parent) {
    directory = parent;
    return this;
  }

  /** Sets the parent directory of the write-ahead log, if it is separate from the data. */
  public ControlledServerBuilder walIn(Path parent) {
    walDirectory = parent;
    return this;
  }

  /** Starts the server; it accepts connections when this returns. */
  public ControlledServer start() throws Exception {
    ControlledServer server = new ControlledServer(this);
    server.startFirst();
    return server;
  }

  int major() {
    return major;
  }

  /** The initial contents of the data directory. */
  DataDirectory.Contents contents() {
    return contents;
  }

  Map<String, String> settings() {
    return settings;
  }

  @Nullable Path directory() {
    return directory;
  }

  @Nullable Path walDirectory() {
    return walDirectory;
  }
}
