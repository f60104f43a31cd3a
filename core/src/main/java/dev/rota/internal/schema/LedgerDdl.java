package dev.rota.internal.schema;

import dev.rota.internal.sql.Sql;
import java.util.List;
import java.util.stream.Collectors;

/** Generates the statements that create segments of the ledger and the view over them. */
public final class LedgerDdl {

  private static final Sql SEGMENT =
      new Sql(
          "create ledger segment",
          """
          create table {ledger} (
            id bigint primary key, worker bigint, claimed_at timestamptz, closed_at timestamptz,
            first_block bigint, last_block bigint, tenant integer, segment integer,
            tasks integer, ended smallint)
            with (fillfactor = 50, autovacuum_enabled = off)""");

  private static final Sql OPEN_BATCHES =
      new Sql("index ledger segment", "create index on {ledger} (worker) where closed_at is null");

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
            .map(seq -> "select *, " + seq + " as seq from " + Sql.render(rota.ledger(seq)))
            .collect(Collectors.joining("\nunion all\n"));
    return "create or replace view " + Sql.render(rota.ledgerView()) + " as\n" + rows;
  }
}
