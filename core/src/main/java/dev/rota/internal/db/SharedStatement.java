package dev.rota.internal.db;

import java.util.List;

/** A statement that answers the questions of several callers at once. */
@FunctionalInterface
public interface SharedStatement<Q, A> {

  /** The call that answers all of them, in their order. */
  BoundStatement<List<A>> on(List<Q> questions);
}
