package dev.rota;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the tests of a class once on each chosen version of {@link PostgresVersions}. */
final class PostgresVersionsProvider implements ClassTemplateInvocationContextProvider {

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return context.getRequiredTestClass().isAnnotationPresent(PostgresVersions.class);
  }

  @Override
  public Stream<Invocation> provideClassTemplateInvocationContexts(ExtensionContext context) {
    PostgresVersions versions =
        context.getRequiredTestClass().getAnnotation(PostgresVersions.class);
    String chosen = versions.always() ? "all" : chosen();
    return chosen(versions.value(), chosen).mapToObj(Invocation::new);
  }

  /** The versions for {@link ChosenVersions}. */
  static IntStream oldestAndNewest() {
    return chosen(new int[] {15, 18}, chosen());
  }

  private static String chosen() {
    return System.getProperty("rota.test.versions", "all");
  }

  static IntStream chosen(int[] versions, String which) {
    return switch (which) {
      case "all" -> Arrays.stream(versions);
      case "newest" -> Arrays.stream(versions).skip(versions.length - 1);
      case "oldest" -> Arrays.stream(versions).limit(1);
      default ->
          throw new IllegalArgumentException(
              "rota.test.versions must be newest, oldest or all, not " + which);
    };
  }

  /** One run of all tests of the class, on one version. */
  record Invocation(int version) implements ClassTemplateInvocationContext {

    @Override
    public String getDisplayName(int index) {
      return "PostgreSQL " + version;
    }

    @Override
    public void prepareInvocation(ExtensionContext context) {
      RotaTestExtension.setVersion(context, version);
    }
  }
}
