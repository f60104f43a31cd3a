package dev.rota;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs all tests of a {@link RotaTest} on servers of these major versions. The property {@code
 * rota.test.versions} chooses among them: {@code newest}, {@code oldest} or {@code all}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(PostgresVersionsProvider.class)
public @interface PostgresVersions {

  /** The major versions, from 15 to 18, in this order. */
  int[] value();

  /** Whether to run on each of them always, because the versions differ where the tests look. */
  boolean always() default false;
}
