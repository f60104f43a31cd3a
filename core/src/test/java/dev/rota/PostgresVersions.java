package dev.rota;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs all tests of a {@link RotaTest} on a server of each of these major versions. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(PostgresVersionsProvider.class)
public @interface PostgresVersions {
  /** The major versions, from 15 to 18. */
  int[] value();
}
