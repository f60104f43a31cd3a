package dev.rota;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Opens a migrated database for each test of a class. The extension sets the fields marked {@link
 * Given}: a {@link RotaFixture}, a {@link Rota}, tenants. It opens them before the class's own
 * set-up and closes them after its own clean-up. All tests of the class on one version share the
 * values of static fields.
 *
 * <pre>{@code
 * @RotaTest
 * @PostgresVersions(value = {15, 18}, always = true)
 * class CancelTest {
 *   @Given private RotaFixture fixture;
 *   @Given private Tenant acme;
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RotaTestExtension.class)
public @interface RotaTest {}
