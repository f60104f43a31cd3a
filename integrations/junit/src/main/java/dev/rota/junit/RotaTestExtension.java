package dev.rota.junit;

import dev.rota.Rota;
import dev.rota.Tenant;
import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Opens the database of a {@link RotaTest}, and resolves the parameters of its methods. */
final class RotaTestExtension implements BeforeEachCallback, ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(RotaTestExtension.class);
  private static final Set<Class<?>> SHARED = Set.of(TestRota.class, Rota.class, DataSource.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    fixtureOf(context).begin();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return SHARED.contains(type) || type == Tenant.class;
  }

  @Override
  public Object resolveParameter(ParameterContext context, ExtensionContext of) {
    Parameter parameter = context.getParameter();
    TestFixture fixture = fixtureOf(of);
    if (parameter.getType() == Tenant.class) {
      if (of.getTestMethod().isEmpty() || context.getDeclaringExecutable() instanceof Constructor) {
        throw new ParameterResolutionException(
            "a tenant belongs to one test; take it in a test method or in @BeforeEach");
      }
      return fixture.tenant(
          parameter.isNamePresent() ? parameter.getName() : "tenant-" + (context.getIndex() + 1));
    }
    if (parameter.getType() == DataSource.class) {
      return fixture.dataSource();
    }
    return parameter.getType() == Rota.class ? fixture.rota().rota() : fixture.rota();
  }

  private static TestFixture fixtureOf(ExtensionContext context) {
    ExtensionContext annotated = annotated(context);
    return annotated
        .getStore(NAMESPACE)
        .computeIfAbsent(
            TestFixture.class, unused -> TestFixture.open(settings(annotated)), TestFixture.class);
  }

  /** The nearest class with the annotation, whose database the classes nested in it use. */
  private static ExtensionContext annotated(ExtensionContext context) {
    ExtensionContext found = context;
    for (ExtensionContext up = context;
        up.getTestClass().isPresent() && (annotation(found).isEmpty() || isSameClass(up, found));
        up = up.getParent().orElseThrow()) {
      found = up;
    }
    return found;
  }

  private static boolean isSameClass(ExtensionContext one, ExtensionContext other) {
    return one.getRequiredTestClass() == other.getRequiredTestClass();
  }

  private static Optional<RotaTest> annotation(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), RotaTest.class);
  }

  private static UnaryOperator<Rota.Builder> settings(ExtensionContext context) {
    Class<? extends UnaryOperator<Rota.Builder>> type =
        annotation(context).map(RotaTest::settings).orElse(TestRota.Defaults.class);
    try {
      var constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "settings " + type.getName() + " of a @RotaTest need a constructor without parameters",
          e);
    }
  }
}
