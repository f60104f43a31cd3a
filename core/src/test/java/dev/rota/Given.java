package dev.rota;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a field of a {@link RotaTest} that the extension sets before the test. Its type is one of:
 *
 * <ul>
 *   <li>{@link RotaFixture}, or a subclass with a constructor that takes the database, or the
 *       database and a folder; the folder has the field's name in the test's temporary folder;
 *   <li>{@link Rota}, the first one of the first fixture;
 *   <li>{@link dev.rota.testing.TestDatabase}, the database of the first fixture;
 *   <li>{@link Tenant}, registered under the field's name; tenants get their numbers in the order
 *       of the fields;
 *   <li>{@code int}, the major version of PostgreSQL, in a class with {@link PostgresVersions}.
 * </ul>
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Given {}
