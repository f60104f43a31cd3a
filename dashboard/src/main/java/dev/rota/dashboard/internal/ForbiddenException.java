package dev.rota.dashboard.internal;

import java.io.Serial;

/** Says why a viewer may not see or do what the request asks for. */
final class ForbiddenException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  ForbiddenException(String message) {
    super(message);
  }
}
