package dev.rota;

import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;

/** The fixtures of one test, or of one class on one version of PostgreSQL. */
final class GivenFixtures {

  private final Deque<RotaFixture> opened = new ArrayDeque<>();
  private final @Nullable Integer version;
  private final @Nullable Object instance;

  GivenFixtures(@Nullable Integer version, @Nullable Object instance) {
    this.version = version;
    this.instance = instance;
  }

  /** Returns the marked fields of a class and its superclasses, in their order. */
  static List<Field> fields(Class<?> type, Class<? extends Annotation> mark, boolean isStatic) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
      Arrays.stream(each.getDeclaredFields())
          .filter(field -> field.isAnnotationPresent(mark))
          .filter(field -> Modifier.isStatic(field.getModifiers()) == isStatic)
          .forEach(fields::add);
    }
    fields.forEach(field -> field.setAccessible(true));
    return fields;
  }

  /** Opens a fixture of the field's type over a database of its own. */
  RotaFixture open(Field field) throws Exception {
    TestDatabase database = database();
    try {
      RotaFixture fixture = create(field, database);
      opened.add(fixture);
      return fixture;
    } catch (ReflectiveOperationException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private TestDatabase database() {
    return version == null ? MigratedDatabase.create() : MigratedDatabase.onVersion(version);
  }

  private RotaFixture create(Field field, TestDatabase database)
      throws ReflectiveOperationException {
    Constructor<?> constructor =
        Arrays.stream(field.getType().getDeclaredConstructors())
            .filter(each -> List.of(each.getParameterTypes()).indexOf(TestDatabase.class) == 0)
            .min(Comparator.comparingInt(Constructor::getParameterCount))
            .orElseThrow();
    constructor.setAccessible(true);
    return (RotaFixture)
        (constructor.getParameterCount() == 1
            ? constructor.newInstance(database)
            : constructor.newInstance(database, folder().resolve(field.getName())));
  }

  private Path folder() throws ReflectiveOperationException {
    if (instance == null) {
      throw new ExtensionConfigurationException("a static fixture has no folder");
    }
    Field folder =
        fields(instance.getClass(), TempDir.class, false).stream()
            .findFirst()
            .orElseThrow(
                () -> new ExtensionConfigurationException("a fixture's folder needs a @TempDir"));
    return (Path) folder.get(instance);
  }

  /** Returns the value of a field that is no fixture; opens one if there is none yet. */
  Object value(Field field) {
    Class<?> type = field.getType();
    if (type == int.class && version != null) {
      return version;
    }
    if (opened.isEmpty()) {
      opened.add(new RotaFixture(database()));
    }
    RotaFixture fixture = opened.getFirst();
    if (type == Rota.class) {
      return fixture.rota();
    } else if (type == Tenant.class) {
      return fixture.tenant(field.getName());
    } else if (type == TestDatabase.class) {
      return fixture.database();
    }
    throw new ExtensionConfigurationException("a field of this type cannot be given: " + field);
  }

  /** Closes all fixtures, the last one first, even when one of them fails. */
  void close() {
    RotaFixture last = opened.pollLast();
    if (last != null) {
      try {
        last.close();
      } finally {
        close();
      }
    }
  }
}
