package dev.rota;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs the tests of a class once on each version of {@link PostgresVersions}. */
final class PostgresVersionsProvider implements ClassTemplateInvocationContextProvider {

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return context.getRequiredTestClass().isAnnotationPresent(PostgresVersions.class);
  }

  @Override
  public Stream<Invocation> provideClassTemplateInvocationContexts(ExtensionContext context) {
    int[] versions = context.getRequiredTestClass().getAnnotation(PostgresVersions.class).value();
    return Arrays.stream(versions).mapToObj(Invocation::new);
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
