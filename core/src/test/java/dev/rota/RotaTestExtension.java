package dev.rota;

import java.lang.reflect.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/** Opens the values of the {@link Given} fields of a {@link RotaTest}, and closes them. */
final class RotaTestExtension
    implements BeforeAllCallback,
        BeforeClassTemplateInvocationCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterClassTemplateInvocationCallback,
        AfterAllCallback {

  private static final Namespace NAMESPACE = Namespace.create(RotaTestExtension.class);
  private static final String VERSION = "version";
  private static final String SHARED = "shared fixture";
  private static final String OWN = "fixture of a test";

  /** Sets the major version of the server for the tests below this context. */
  static void setVersion(ExtensionContext context, int version) {
    context.getStore(NAMESPACE).put(VERSION, version);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    if (!runsOnVersions(context)) {
      setShared(context);
    }
  }

  @Override
  public void beforeClassTemplateInvocation(ExtensionContext context) throws Exception {
    setShared(context);
  }

  private static boolean runsOnVersions(ExtensionContext context) {
    return context.getRequiredTestClass().isAnnotationPresent(PostgresVersions.class);
  }

  private static void setShared(ExtensionContext context) throws Exception {
    set(
        context,
        SHARED,
        GivenFixtures.fields(context.getRequiredTestClass(), Given.class, true),
        null);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    List<Field> fields = GivenFixtures.fields(context.getRequiredTestClass(), Given.class, false);
    set(context, OWN, fields, context.getRequiredTestInstance());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    close(context, OWN);
  }

  @Override
  public void afterClassTemplateInvocation(ExtensionContext context) {
    close(context, SHARED);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close(context, SHARED);
  }

  private static void close(ExtensionContext context, String key) {
    GivenFixtures fixtures = context.getStore(NAMESPACE).remove(key, GivenFixtures.class);
    if (fixtures != null) {
      fixtures.close();
    }
  }

  private static void set(
      ExtensionContext context, String key, List<Field> fields, @Nullable Object instance)
      throws Exception {
    if (fields.isEmpty()) {
      return;
    }
    Store store = context.getStore(NAMESPACE);
    GivenFixtures fixtures = new GivenFixtures(store.get(VERSION, Integer.class), instance);
    store.put(key, fixtures);
    for (Field field : fields) {
      if (isFixture(field)) {
        field.set(instance, fixtures.open(field));
      }
    }
    for (Field field : fields) {
      if (!isFixture(field)) {
        field.set(instance, fixtures.value(field));
      }
    }
  }

  private static boolean isFixture(Field field) {
    return RotaFixture.class.isAssignableFrom(field.getType());
  }
}
