package dev.rota.transfer.internal;

import java.io.IOException;

/**
 * Sees everything that a transfer does with files, each by its name, and may refuse it. For tests
 * that fail or kill it there; does nothing otherwise.
 */
public interface FileObserver {

  /** Sees nothing. */
  FileObserver NONE = new FileObserver() {};

  /** Before something is done. */
  default void before(String operation) throws IOException {}

  /** After it was done. */
  default void after(String operation) throws IOException {}
}
