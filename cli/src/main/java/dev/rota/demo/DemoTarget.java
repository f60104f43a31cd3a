package dev.rota.demo;

import dev.rota.Rota;
import org.jooq.CloseableDSLContext;

/** The database that a demo runs on. */
public interface DemoTarget {

  /**
   * How the demo gets its {@link Rota}.
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
   * A connection of its own, by which the demo checks the tables behind the library's back.
   *
   * @return a new connection, to be closed by the caller
   */
  CloseableDSLContext connect();
}
