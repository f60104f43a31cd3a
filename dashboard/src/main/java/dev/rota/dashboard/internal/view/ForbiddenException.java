package dev.rota.dashboard.internal.view;

import java.io.Serial;

/** Says why a viewer may not see or do what the request asks for. */
public final class ForbiddenException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  public ForbiddenException(String message) {
    super(message);
  }
}
