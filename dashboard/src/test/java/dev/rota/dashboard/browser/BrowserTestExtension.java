package dev.rota.dashboard.browser;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/** Opens the browser of a {@link BrowserTest}; JUnit closes it after the class. */
final class BrowserTestExtension
    implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(BrowserTestExtension.class);

  @Override
  public void beforeAll(ExtensionContext context) {
    Browser.missing().ifPresent(BrowserTestExtension::skip);
    boolean script = context.getRequiredTestClass().getAnnotation(BrowserTest.class).script();
    context.getStore(NAMESPACE).put(Browser.class, Browser.start(script));
  }

  private static void skip(String reason) {
    System.err.println(reason);
    throw new TestAbortedException(reason);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    browser(context).forget();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Browser.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return browser(context);
  }

  private static Browser browser(ExtensionContext context) {
    return context.getStore(NAMESPACE).get(Browser.class, Browser.class);
  }
}
