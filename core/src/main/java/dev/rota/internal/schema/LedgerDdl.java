package dev.rota.internal.schema;

import dev.rota.internal.sql.Sql;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.impl.DSL;

/** Generates the statements that create segments of the ledger and the view over them. */
public final class LedgerDdl {

  /**
   * An open batch takes 100 bytes of a page and a closed one 116. With this fill factor, the closed
   * rows of a page fit beside the open ones.
   */
  private static final Sql SEGMENT =
      new Sql(
          "create ledger segment",
          """
          create table {ledger} (
            id bigint primary key, worker bigint, claimed_at timestamptz, closed_at timestamptz,
            first_block bigint, last_block bigint, tenant integer, segment integer,
            tasks integer, ended smallint, attempts integer, run_micros bigint, bytes bigint)
            with (fillfactor = 45, autovacuum_enabled = off)""");

  private static final Sql OPEN_BATCHES =
      new Sql("index ledger segment", "create index on {ledger} (worker) where closed_at is null");

  /** In this order since a view can only be replaced by one that has further columns at its end. */
  private static final Sql PART_OF_VIEW =
      new Sql(
          "renew ledger view",
          """
          select id, worker, claimed_at, closed_at, first_block, last_block, tenant, segment,
                 tasks, ended, {seq} as seq, attempts, run_micros, bytes from {ledger}""");

  private final RegistryTables rota;

  /** Creates the generator for the ledger of one registry. */
  public LedgerDdl(RegistryTables rota) {
    this.rota = rota;
  }

  /** Creates one more segment. */
  public List<String> createSegment(int seq) {
    return List.of(
        SEGMENT.on("ledger", rota.ledger(seq)), OPEN_BATCHES.on("ledger", rota.ledger(seq)));
  }

  /** Creates the view over these segments. */
  public String view(List<Integer> segments) {
    String rows =
        segments.stream()
            .map(seq -> PART_OF_VIEW.on(Map.of("seq", DSL.inline(seq), "ledger", rota.ledger(seq))))
            .collect(Collectors.joining("\nunion all\n"));
    return "create or replace view " + Sql.render(rota.ledgerView()) + " as\n" + rows;
  }
}
