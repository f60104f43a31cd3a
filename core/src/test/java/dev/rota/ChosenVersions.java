package dev.rota;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Gives a parameterized test the oldest and the newest major version of PostgreSQL, or one of them:
 * the property {@code rota.test.versions} chooses, see {@link PostgresVersions}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@MethodSource("dev.rota.PostgresVersionsProvider#oldestAndNewest")
public @interface ChosenVersions {}
