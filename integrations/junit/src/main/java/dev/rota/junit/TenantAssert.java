package dev.rota.junit;

import dev.rota.typed.Kind;
import java.util.function.Predicate;

/**
 * Assertions about the tasks of one tenant. Each reads the database, and throws an {@link
 * AssertionError} that lists the tasks of the tenant if it does not hold.
 */
public interface TenantAssert {

  /**
   * Checks that a task of a kind waits to run, now or later.
   *
   * @param kind the kind
   * @return this object
   */
  TenantAssert hasPending(String kind);

  /**
   * Checks that a task of a kind with such a payload waits to run, now or later.
   *
   * @param kind the kind
   * @param payload the condition
   * @return this object
   */
  TenantAssert hasPending(String kind, Predicate<String> payload);

  /**
   * Checks that a task of a kind with such a value waits to run, now or later.
   *
   * @param <T> the type of its values
   * @param kind the kind; tasks under its former names count
   * @param value the condition
   * @return this object
   * @throws dev.rota.FatalTaskException if a payload cannot be read
   */
  <T> TenantAssert hasPending(Kind<T> kind, Predicate<? super T> value);

  /**
   * Checks that nothing waits to run, now or later.
   *
   * @return this object
   */
  TenantAssert hasNothingPending();

  /**
   * Counts the attempts of a kind that began, however they ended.
   *
   * @param kind the kind
   * @return what to compare the count with
   */
  Count ran(String kind);

  /**
   * Counts the attempts of a kind that began, however they ended.
   *
   * @param kind the kind; tasks under its former names count
   * @return what to compare the count with
   */
  Count ran(Kind<?> kind);

  /**
   * Counts the attempts of a kind that succeeded.
   *
   * @param kind the kind
   * @return what to compare the count with
   */
  Count succeeded(String kind);

  /**
   * Counts the attempts of a kind that succeeded.
   *
   * @param kind the kind; tasks under its former names count
   * @return what to compare the count with
   */
  Count succeeded(Kind<?> kind);

  /** A count of attempts, to compare. */
  interface Count {

    /**
     * Checks that it is 0.
     *
     * @return the assertions about the tenant
     */
    TenantAssert never();

    /**
     * Checks that it is 1.
     *
     * @return the assertions about the tenant
     */
    TenantAssert once();

    /**
     * Checks the count.
     *
     * @param count the expected one, 0 or more
     * @return the assertions about the tenant
     */
    TenantAssert times(int count);
  }
}
