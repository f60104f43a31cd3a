package dev.rota.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;

/** Starts PostgreSQL from the archive in a jar on the class path. */
final class EmbeddedServer {
  private static final int ON_CLASS_PATH = 18;
  private static final Duration STARTUP = Duration.ofSeconds(60);

  private EmbeddedServer() {}

  /** Starts a server that stops with this JVM. Skips the calling test where no archive fits. */
  static TestServer start(int major) {
    try {
      int port = builder(major).start().getPort();
      String url = "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
      return new TestServer("embedded", url);
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL " + major + " does not start", e);
    }
  }

  /** A server of that version with our settings, to be started. */
  static EmbeddedPostgres.Builder builder(int major) {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setPGStartupWait(STARTUP);
    // Our settings come behind the -F (no fsync) on the server's command line, and win.
    TestServer.SETTINGS.forEach(builder::setServerConfig);
    if (major != ON_CLASS_PATH) {
      String archive = archive(major);
      builder.setPgBinaryResolver((system, machine) -> open(archive));
    }
    return builder;
  }

  private static String archive(int major) {
    String archive = "/postgres-binaries/" + major + "/postgres-" + platform() + ".txz";
    Assumptions.assumeTrue(
        EmbeddedServer.class.getResource(archive) != null,
        () -> "No PostgreSQL " + major + " for this machine: " + archive + " is not there");
    return archive;
  }

  private static InputStream open(String archive) throws IOException {
    InputStream stream = EmbeddedServer.class.getResourceAsStream(archive);
    if (stream == null) {
      throw new IOException(archive + " is not on the class path");
    }
    return stream;
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String name =
        system.startsWith("mac") ? "darwin" : system.startsWith("win") ? "windows" : "linux";
    return name + "-" + (machine.equals("aarch64") ? "arm_64" : "x86_64");
  }
}
