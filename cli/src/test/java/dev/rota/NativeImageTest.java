package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.testing.Documents;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares what the libraries tell native-image with their resources, and with the classes that
 * they reach by reflection. There is no GraalVM in the build.
 */
class NativeImageTest {

  private static final String METADATA = "reachability-metadata.json";
  private static final String WEBJARS = "META-INF/resources/webjars/";

  /** The modules that applications embed, and that have metadata. */
  private static final Map<String, String> MODULES =
      Map.of(
          "sql", "rota-sql",
          "core", "rota-core",
          "partition-manager", "rota-partition-manager",
          "dashboard", "rota-dashboard",
          "integrations/spring-boot-starter", "rota-spring-boot-starter");

  /** Calls that native-image does not follow by itself. */
  private static final Pattern DYNAMIC =
      Pattern.compile(
          "Proxy\\.newProxyInstance|Class\\.forName|\\.loadClass|getResourceAsStream|getResource\\("
              + "|createPrecompiled|\\.getMethods?\\(|\\.getDeclared\\w+\\(|\\.newInstance\\(");

  @ParameterizedTest
  @CsvSource({"sql, 60", "dashboard, 2"})
  void everyResourceThatIsReadIsListed(String module, int more) throws IOException {
    List<String> globs = new ArrayList<>();
    for (JsonNode resource : metadata(module).get("resources")) {
      globs.add(resource.get("glob").asText());
    }
    Path resources = Documents.home().resolve(module + "/src/main/resources");
    List<Path> files =
        Sources.in(resources)
            .map(resources::relativize)
            .filter(file -> !file.startsWith("META-INF"))
            .toList();
    assertThat(files).hasSizeGreaterThan(more).allMatch(file -> globs.stream().anyMatch(is(file)));
    assertThat(globs)
        .filteredOn(glob -> !glob.startsWith(WEBJARS))
        .allMatch(glob -> files.stream().anyMatch(file -> is(file).test(glob)));
  }

  @Test
  void theFilesOfWebJarsThatTheDashboardReadsAreListed() throws IOException {
    String assets =
        Sources.text(
            Documents.home()
                .resolve("dashboard/src/main/java/dev/rota/dashboard/internal/Assets.java"));
    List<Path> read =
        Pattern.compile("WEBJARS \\+ \"([^\"]+)\"")
            .matcher(assets)
            .results()
            .map(file -> Path.of(WEBJARS + file.group(1)))
            .toList();
    List<String> globs = new ArrayList<>();
    for (JsonNode resource : metadata("dashboard").get("resources")) {
      globs.add(resource.get("glob").asText());
    }
    globs.removeIf(glob -> !glob.startsWith(WEBJARS));
    assertThat(read)
        .hasSize(globs.size())
        .allMatch(file -> globs.stream().anyMatch(is(file)))
        .allMatch(file -> getClass().getResource("/" + file) != null);
  }

  @Test
  void everyTypeAndMethodThatIsListedExists() throws Exception {
    int checked = 0;
    for (String module : MODULES.keySet()) {
      for (JsonNode entry : metadata(module).path("reflection")) {
        List<Class<?>> types = types(entry.get("type"));
        for (JsonNode method : entry.path("methods")) {
          Class<?>[] parameters =
              elements(method.get("parameterTypes")).map(this::type).toArray(Class<?>[]::new);
          assertThat(types.get(0).getMethod(method.get("name").asText(), parameters)).isNotNull();
        }
        checked += types.size();
      }
    }
    assertThat(checked).isGreaterThan(12);
  }

  @Test
  void theInterfacesOfProxiesAreListed() throws IOException {
    assertThat(proxies("core")).containsExactly("java.sql.Connection");
    assertThat(proxies("integrations/spring-boot-starter"))
        .containsExactlyInAnyOrder(
            "dev.rota.internal.DefaultRota$Wrapper",
            Tenants.class.getName(),
            Tenant.class.getName());
  }

  /**
   * A class that is new here needs metadata, or a reason for none: that the types are those of the
   * application, which lists them, or that only the command or a test uses it.
   */
  @Test
  void allDynamicCallsOfLibrariesAreKnown() {
    Map<String, String> found =
        Stream.of(
                "core",
                "partition-manager",
                "dashboard",
                "integrations/jackson",
                "integrations/micrometer",
                "integrations/opentelemetry",
                "integrations/spring-boot-starter")
            .flatMap(module -> Sources.in(Documents.home().resolve(module + "/src/main/java")))
            .filter(file -> DYNAMIC.matcher(Sources.text(file)).find())
            .collect(
                Collectors.toMap(
                    file -> file.getFileName().toString(),
                    file -> new TreeSet<>(calls(file)).toString(),
                    (one, other) -> one + other,
                    TreeMap::new));
    assertThat(found.keySet())
        .as("classes with dynamic calls: %s", found)
        .containsExactly(
            "Api.java",
            "Assets.java",
            "Backends.java",
            "DashboardServlet.java",
            "GuardedConnection.java",
            "JoiningCalls.java",
            "OptionalLibrary.java",
            "PageWriter.java",
            "SqlFiles.java",
            "TaskInterface.java");
  }

  private static List<String> calls(Path file) {
    return DYNAMIC.matcher(Sources.text(file)).results().map(call -> call.group()).toList();
  }

  private static List<String> proxies(String module) throws IOException {
    List<String> proxies = new ArrayList<>();
    for (JsonNode entry : metadata(module).get("reflection")) {
      elements(entry.get("type").path("proxy")).forEach(proxies::add);
    }
    return proxies;
  }

  /** The classes that an entry names: one, or the interfaces of a proxy. */
  private List<Class<?>> types(JsonNode type) {
    Stream<String> names =
        type.isTextual() ? Stream.of(type.asText()) : elements(type.get("proxy"));
    return names.<Class<?>>map(this::type).toList();
  }

  private Class<?> type(String name) {
    if (name.endsWith("[]")) {
      return type(name.substring(0, name.length() - 2)).arrayType();
    }
    return Stream.<Class<?>>of(int.class, boolean.class)
        .filter(primitive -> primitive.getName().equals(name))
        .findFirst()
        .orElseGet(() -> load(name));
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, NativeImageTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("the metadata names " + name + ", which is not there", e);
    }
  }

  private static Stream<String> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText);
  }

  private static Predicate<String> is(Path file) {
    return glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(file);
  }

  private static JsonNode metadata(String module) throws IOException {
    Path file =
        Documents.home()
            .resolve(module)
            .resolve("src/main/resources/META-INF/native-image/dev.rota")
            .resolve(MODULES.get(module))
            .resolve(METADATA);
    return JsonMapper.builder().build().readTree(file.toFile());
  }
}
