package dev.rota.demo;

import dev.rota.Rota;
import org.jooq.CloseableDSLContext;

/** The database that a demo runs on. */
public interface DemoTarget {

  /**
   * Creates a builder of the demo's {@link Rota}.
   *
   * @return a new builder, over this database and schema
   */
  Rota.Builder rotaBuilder();

  /**
   * The schema of the registry.
   *
   * @return the name
   */
  String schema();

  /**
   * Opens a separate connection, by which the demo checks the tables independently of the library.
   *
   * @return a new connection, to be closed by the caller
   */
  CloseableDSLContext connect();
}
