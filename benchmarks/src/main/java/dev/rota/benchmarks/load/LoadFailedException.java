package dev.rota.benchmarks.load;

import dev.rota.RotaException;

/** Thrown when a run is void because tasks could not be enqueued. */
final class LoadFailedException extends RotaException {

  private static final long serialVersionUID = 1L;

  LoadFailedException(Throwable cause) {
    super("the producers stopped: " + cause.getMessage(), cause);
  }
}
