package dev.rota.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Rota;
import dev.rota.testing.Documents;
import dev.rota.transfer.TenantTransfer;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that an application without an optional library is told which dependency to add. */
class OptionalLibraryTest {

  private static final Pattern DEPENDENCY =
      Pattern.compile("<artifactId>(.*?)</artifactId>\\s*<version>(.*?)</version>");

  @Test
  void anArchiveNamesDuckDb() throws Exception {
    try (URLClassLoader application = without("duckdb_jdbc")) {
      Class<?> stores = application.loadClass(ObjectStore.class.getName());
      Class<?> archives = application.loadClass(Archive.class.getName());
      Class<?> builders = application.loadClass(Archive.Builder.class.getName());
      Object store = stores.getMethod("folder", Path.class).invoke(null, Path.of("archive"));
      Object builder = archives.getMethod("in", stores).invoke(null, store);
      assertThatThrownBy(() -> call(() -> builders.getMethod("build").invoke(builder)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "An archive needs a library that is missing: add the dependency"
                  + " org.duckdb:duckdb_jdbc");
    }
  }

  @Test
  void aTransferNamesDuckDb() throws Exception {
    try (URLClassLoader application = without("duckdb_jdbc")) {
      Class<?> databases = application.loadClass(Rota.class.getName());
      Class<?> transfers = application.loadClass(TenantTransfer.class.getName());
      assertThatThrownBy(
              () -> call(() -> transfers.getMethod("over", databases).invoke(null, (Object) null)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageEndingWith("add the dependency org.duckdb:duckdb_jdbc");
    }
  }

  @Test
  void aBucketNamesTheSdkAndItsHttpClient() throws Exception {
    assertThat(failureOfABucketWithout("/s3/"))
        .endsWith("add the dependency software.amazon.awssdk:s3");
    assertThat(failureOfABucketWithout("/url-connection-client/"))
        .endsWith("add the dependency software.amazon.awssdk:url-connection-client");
  }

  @Test
  void historyNamesTheVersionsOfThisBuild() {
    Matcher shown = DEPENDENCY.matcher(Documents.blocks("docs/history.md", "xml").get(0));
    String versions = Documents.text("pom.xml");
    int count = 0;
    for (; shown.find(); count++) {
      String property = shown.group(1).equals("duckdb_jdbc") ? "duckdb" : "aws-sdk";
      assertThat(versions)
          .contains("<" + property + ".version>" + shown.group(2) + "</" + property + ".version>");
    }
    assertThat(count).isEqualTo(3);
  }

  @Test
  void applicationsWithoutAnArchiveDoNotGetThem() {
    assertThat(Documents.text("partition-manager/pom.xml"))
        .containsPattern("<artifactId>duckdb_jdbc</artifactId>\\s*<optional>true</optional>")
        .containsPattern("<artifactId>s3</artifactId>\\s*<optional>true</optional>")
        .containsPattern(
            "<artifactId>url-connection-client</artifactId>\\s*<optional>true</optional>");
  }

  private static String failureOfABucketWithout(String library) throws Exception {
    try (URLClassLoader application = without(library)) {
      Class<?> stores = application.loadClass(ObjectStore.class.getName());
      Class<?> settings = application.loadClass(S3Settings.class.getName());
      Object bucket = settings.getMethod("of", String.class).invoke(null, "bucket");
      try {
        call(() -> stores.getMethod("bucket", settings).invoke(null, bucket));
        return "it was made";
      } catch (IllegalStateException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  /** An application whose class path is that of this test, but for one library. */
  private static URLClassLoader without(String library) throws IOException {
    URL[] others =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains(library))
            .map(OptionalLibraryTest::url)
            .toArray(URL[]::new);
    return new URLClassLoader(others, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Call {
    Object run() throws ReflectiveOperationException;
  }

  /** Runs a reflective call, and throws what the called method threw. */
  private static void call(Call call) throws Exception {
    try {
      call.run();
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
  }
}
