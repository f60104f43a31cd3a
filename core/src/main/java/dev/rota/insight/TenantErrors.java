package dev.rota.insight;

/**
 * The part of a tenant in an error. Immutable.
 *
 * @param tenant the name of the tenant
 * @param attempts how many of its attempts had the error
 */
public record TenantErrors(String tenant, ErrorActivity.Attempts attempts) {

  /**
   * A tenant whose attempts were not counted.
   *
   * @param tenant its name
   * @return the tenant, with no attempt
   */
  public static TenantErrors unknown(String tenant) {
    return new TenantErrors(tenant, new ErrorActivity.Attempts(0, 0));
  }
}
