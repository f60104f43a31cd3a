package dev.rota.spring;

import dev.rota.junit.TestRota;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Lets a test run the tasks of its application context itself, by a bean {@link TestRota}. Worker
 * and daemon of the context do not start. Needs {@code rota-junit} in the scope of the tests.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureRota
 * class OrderTest {
 *   @Autowired TestRota rota;
 *   @Autowired OrderService orders;
 *
 *   @Test
 *   void remindsAfterTwoWeeks() {
 *     orders.place(order); // enqueues
 *     rota.advance(Duration.ofDays(14)).drain(); // calls the methods with @RotaHandler
 *   }
 * }
 * }</pre>
 *
 * <p>The bean begins each test with the handlers of the context, and without {@link
 * TestRota#expectFailures}. It drains all tenants of the database, those of other tests too. Tests
 * that write into a transaction that is rolled back enqueue nothing: a task exists once its
 * transaction commits.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@TestPropertySource(properties = {"rota.worker.enabled=false", "rota.daemon.enabled=false"})
@Import(TestRotaConfiguration.class)
public @interface AutoConfigureRota {}
