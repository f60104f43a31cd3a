package dev.rota.internal.db;

import java.util.List;

/** A statement that serves the requests of several callers at once. */
@FunctionalInterface
public interface SharedStatement<Q, A> {

  /** Creates the call that answers all of them, in their order. */
  BoundStatement<List<A>> on(List<Q> questions);
}
