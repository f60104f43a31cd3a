package dev.rota;

import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
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
    set(context, SHARED, fields(context.getRequiredTestClass(), true), null);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    List<Field> fields = fields(context.getRequiredTestClass(), false);
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
    RotaFixture fixture = context.getStore(NAMESPACE).remove(key, RotaFixture.class);
    if (fixture != null) {
      fixture.close();
    }
  }

  /** Returns the marked fields of a class and its superclasses, in their order. */
  private static List<Field> fields(Class<?> type, boolean isStatic) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
      Arrays.stream(each.getDeclaredFields())
          .filter(field -> field.isAnnotationPresent(Given.class))
          .filter(field -> Modifier.isStatic(field.getModifiers()) == isStatic)
          .forEach(fields::add);
    }
    fields.forEach(field -> field.setAccessible(true));
    return fields;
  }

  private static void set(
      ExtensionContext context, String key, List<Field> fields, @Nullable Object instance)
      throws Exception {
    if (fields.isEmpty()) {
      return;
    }
    Store store = context.getStore(NAMESPACE);
    Integer version = store.get(VERSION, Integer.class);
    RotaFixture fixture =
        open(
            fixtureType(fields),
            version == null ? MigratedDatabase.create() : MigratedDatabase.onVersion(version));
    store.put(key, fixture);
    for (Field field : fields) {
      field.set(instance, value(field, fixture, version));
    }
  }

  private static Class<? extends RotaFixture> fixtureType(List<Field> fields) {
    return fields.stream()
        .map(Field::getType)
        .filter(RotaFixture.class::isAssignableFrom)
        .<Class<? extends RotaFixture>>map(type -> type.asSubclass(RotaFixture.class))
        .findFirst()
        .orElse(RotaFixture.class);
  }

  private static RotaFixture open(Class<? extends RotaFixture> type, TestDatabase database)
      throws Exception {
    try {
      Constructor<? extends RotaFixture> constructor =
          type.getDeclaredConstructor(TestDatabase.class);
      constructor.setAccessible(true);
      return constructor.newInstance(database);
    } catch (ReflectiveOperationException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private static Object value(Field field, RotaFixture fixture, @Nullable Integer version) {
    Class<?> type = field.getType();
    if (type.isInstance(fixture)) {
      return fixture;
    } else if (type == Rota.class) {
      return fixture.rota();
    } else if (type == Tenant.class) {
      return fixture.tenant(field.getName());
    } else if (type == TestDatabase.class) {
      return fixture.database();
    } else if (type == int.class && version != null) {
      return version;
    }
    throw new ExtensionConfigurationException("a field of this type cannot be given: " + field);
  }
}
