package dev.rota.dashboard.browser;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the methods of a test class a {@link Browser}, which serves all of them. Where no browser
 * is installed, the class is skipped. It stands before other annotations, which then open nothing.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(BrowserTestExtension.class)
public @interface BrowserTest {

  /** Whether pages may run scripts. */
  boolean script() default true;
}
