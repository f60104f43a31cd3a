package dev.rota.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a developer reads if the jOOQ on the class path is compiled for a newer JDK. */
class WrongJooqTest {

  private static final String FIRST_CLASS = "org/jooq/QueryPart.class";

  /** Where a class file has its version: two bytes, of which the first is zero so far. */
  private static final int VERSION = 7;

  @TempDir private Path folder;

  @Test
  void theFailureOfTheStartNamesThePropertyToSet() throws Exception {
    Path shadow = folder.resolve(FIRST_CLASS);
    Files.createDirectories(shadow.getParent());
    Files.write(shadow, forTheNextJdk());
    String classPath = folder + File.pathSeparator + System.getProperty("java.class.path");
    String log = logOfTheStart(classPath);
    assertThat(log)
        .contains(
            "APPLICATION FAILED TO START",
            "The jOOQ that Spring Boot manages needs JDK 21, and this is JDK "
                + Runtime.version().feature(),
            "Set the property jooq.version to 3.19.");
  }

  private static String logOfTheStart(String classPath) throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      Process shop =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-cp",
                  classPath,
                  ShopApplication.class.getName(),
                  "--server.port=0",
                  "--spring.datasource.url=" + database.jdbcUrl())
              .redirectErrorStream(true)
              .start();
      String log = new String(shop.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(shop.waitFor()).as(log).isEqualTo(1);
      return log;
    }
  }

  private static byte[] forTheNextJdk() throws IOException {
    try (InputStream jooq = ClassLoader.getSystemResourceAsStream(FIRST_CLASS)) {
      byte[] bytes = jooq.readAllBytes();
      bytes[VERSION] = (byte) (44 + Runtime.version().feature() + 1);
      return bytes;
    }
  }
}
