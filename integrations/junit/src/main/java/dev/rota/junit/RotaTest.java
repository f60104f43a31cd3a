package dev.rota.junit;

import dev.rota.Rota;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gives the tests of a class a database of their own with the schema of Rota, and fresh tenants.
 *
 * <pre>{@code
 * @RotaTest
 * class InvoiceTest {
 *   @Test
 *   void remindsAfterTwoWeeks(TestRota rota, Tenant acme) {
 *     new InvoiceService(acme).issue(invoice);
 *     rota.handlers(worker -> worker.handle("remind", reminders::send));
 *     rota.drain();
 *     rota.assertThat(acme).ran("remind").never();
 *     rota.advance(Duration.ofDays(14)).drain();
 *     rota.assertThat(acme).ran("remind").once();
 *   }
 * }
 * }</pre>
 *
 * <p>Parameters may be a {@link TestRota}, its {@link Rota}, a {@link javax.sql.DataSource} of the
 * database, and tenants. A tenant has the name of its parameter if the compiler keeps names ({@code
 * -parameters}), else {@code tenant-1} and so on. Tenants of earlier tests are renamed, and nothing
 * of theirs runs.
 *
 * <p>The server is started once per JVM. It is, in this order: the one in the environment variable
 * {@code ROTA_TEST_JDBC_URL}, a Docker container, or one that is unpacked from a jar. The tests of
 * a class run one after another.
 *
 * <p>Nested classes use the database of the class around them, unless they have the annotation too.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(RotaTestExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
public @interface RotaTest {

  /**
   * The settings of the Rota of the tests, such as its codec. The class needs a constructor without
   * parameters.
   *
   * @return a class that applies them; by default they stay as they are
   */
  Class<? extends UnaryOperator<Rota.Builder>> settings() default TestRota.Defaults.class;
}
