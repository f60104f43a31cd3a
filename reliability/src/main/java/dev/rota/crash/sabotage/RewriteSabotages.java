package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.RewriteScenarios;
import java.util.List;

/** Sabotages that trust row locations, and transactions that did not begin. */
final class RewriteSabotages {

  private static final String FOUND = "select h.batch_id, h.id, h.ctid, h.state from";
  private static final String UNSETTLED = "count\\(\\*\\) filter \\(where h.state = 0\\)";

  private RewriteSabotages() {}

  static List<Sabotage> places() {
    return List.of(
        Sabotage.of(
            "a place is trusted as an identity",
            "8.8: a physical place is a hint, never an identity",
            () ->
                Edit.replace(
                        "h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0",
                        "h.ctid = u.place and h.state = 0")
                    .and(FOUND, "select h.batch_id, h.id, h.ctid, 1::smallint from"),
            RewriteScenarios.settled()),
        Sabotage.of(
            "the count of written outcomes is not checked",
            "8.8: the count of rows found by place is checked",
            () -> Edit.replace(FOUND, "select h.batch_id, h.id, h.ctid, 1::smallint from"),
            RewriteScenarios.settled()),
        Sabotage.of(
            "the count of returned tasks is not checked",
            "8.8: the count of rows found by place is checked",
            () -> Edit.replace(UNSETTLED, "0::bigint"),
            RewriteScenarios.returned()));
  }

  static List<Sabotage> tables() {
    return List.of(
        Sabotage.of(
            "a missing table is taken for a dropped ledger",
            "8.9: a missing table of one tenant is that tenant's trouble alone",
            () ->
                Edit.replace(
                        "select count\\(\\*\\) from pg_catalog.pg_class c"
                            + "(.*?) where n.nspname = \\? and c.relname = \\?",
                        "select 0::bigint from pg_catalog.pg_class c$1"
                            + " where false and n.nspname = ? and c.relname = ? union all select 0")
                    .in(1),
            RewriteScenarios.missingSegment()));
  }

  static List<Sabotage> begins() {
    return List.of(
        Sabotage.of(
            "no guard: what travels with a BEGIN that fails stays",
            "8.10: the first flush of a transaction cannot commit if its BEGIN fails",
            () -> new UnguardedBegin(1, "set closed_at = now()"),
            RewriteScenarios.settled()));
  }
}
