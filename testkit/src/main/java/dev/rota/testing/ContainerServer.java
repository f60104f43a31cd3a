package dev.rota.testing;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Starts PostgreSQL in Docker, where Docker runs. */
final class ContainerServer {
  private ContainerServer() {}

  /**
   * Returns the server, or null where Docker is missing, cannot be reached or cannot get the image.
   */
  static @Nullable TestServer startIfPossible(int major) {
    try {
      return DockerClientFactory.instance().isDockerAvailable() ? start(major) : null;
    } catch (RuntimeException | LinkageError e) {
      // LinkageError: this module's tests run without Testcontainers.
      System.err.println("PostgreSQL in Docker is not used: " + e);
      return null;
    }
  }

  private static TestServer start(int major) {
    PostgreSQLContainer container = new PostgreSQLContainer("postgres:" + major);
    container.setCommand(command());
    container.start();
    Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "test-container-stopper"));
    String url = container.getJdbcUrl();
    char separator = url.indexOf('?') < 0 ? '?' : '&';
    String login = "user=" + container.getUsername() + "&password=" + container.getPassword();
    return new TestServer("Docker", url + separator + login);
  }

  private static String[] command() {
    List<String> command = new ArrayList<>(List.of("postgres"));
    TestServer.SETTINGS.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    return command.toArray(String[]::new);
  }
}
