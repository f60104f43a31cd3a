package dev.rota.internal;

/**
 * A claim that adds up no bytes met a payload that is not small: it is to be repeated by weight.
 */
final class LargePayloadException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LargePayloadException(TenantHandle tenant) {
    super("tenant " + tenant.number() + " has payloads that are not small", null, false, false);
  }
}
