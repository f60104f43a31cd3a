package dev.rota.transfer.internal;

import java.io.IOException;

/**
 * Observes every file operation of a transfer, each by its name, and may refuse it. For tests that
 * fail or kill it there; does nothing otherwise.
 */
public interface FileObserver {

  /** An observer that does nothing. */
  FileObserver NONE = new FileObserver() {};

  /** Called before an operation. */
  default void before(String operation) throws IOException {}

  /** Called after an operation. */
  default void after(String operation) throws IOException {}
}
