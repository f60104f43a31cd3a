package dev.rota.internal;

import dev.rota.internal.db.Call;
import java.util.List;

/** A statement that answers the questions of several callers at once. */
@FunctionalInterface
interface SharedStatement<Q, A> {

  /** The call that answers all of them, in their order. */
  Call<List<A>> on(List<Q> questions);
}
