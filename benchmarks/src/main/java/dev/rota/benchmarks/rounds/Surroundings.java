package dev.rota.benchmarks.rounds;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads what a figure depends on: the machine, the server and the commit. */
final class Surroundings {

  private static final List<String> SETTINGS =
      List.of(
          "server_version",
          "fsync",
          "synchronous_commit",
          "full_page_writes",
          "wal_level",
          "shared_buffers",
          "max_wal_size",
          "checkpoint_timeout",
          "max_connections",
          "jit",
          "autovacuum");

  private Surroundings() {}

  static Map<String, String> machine() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("cores", String.valueOf(system.getAvailableProcessors()));
    machine.put("memoryBytes", String.valueOf(system.getTotalMemorySize()));
    machine.put("system", system.getName() + " " + system.getVersion() + " " + system.getArch());
    machine.put("jdk", System.getProperty("java.vm.name") + " " + Runtime.version());
    return machine;
  }

  static Map<String, String> server(String url) throws SQLException {
    Map<String, String> server = new LinkedHashMap<>();
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement query = connection.prepareStatement("select current_setting(?)")) {
      for (String setting : SETTINGS) {
        query.setString(1, setting);
        try (ResultSet row = query.executeQuery()) {
          row.next();
          server.put(setting, row.getString(1));
        }
      }
    }
    return server;
  }

  /** Returns the commit of each jar that stands in a checkout, by the label of the jar. */
  static Map<String, String> commits(Optional<Path> other) {
    Map<String, String> commits = new LinkedHashMap<>();
    thisJar().flatMap(Surroundings::commit).ifPresent(commit -> commits.put("this", commit));
    other
        .flatMap(Surroundings::commit)
        .ifPresent(commit -> commits.put(other.orElseThrow().getFileName().toString(), commit));
    return commits;
  }

  private static Optional<Path> thisJar() {
    try {
      return Optional.of(
          Path.of(Surroundings.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** Asks git; without git, or outside a checkout, the commit stays unknown. */
  private static Optional<String> commit(Path jar) {
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty", "--exclude", "*")
              .directory(Objects.requireNonNull(jar.toAbsolutePath().getParent()).toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return Optional.of(answer.strip()).filter(commit -> !commit.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
