package dev.rota.graph.internal;

import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import java.util.List;

/** Generates the statements that create the tables of a tenant's graphs. */
public final class GraphDdl {

  /**
   * Storage options of an updated table. Rows are updated once or twice, and the row of a task with
   * very many parents as often as these end. Room in the page allows old versions to be pruned
   * without VACUUM.
   */
  private static final String UPDATED =
      " with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,"
          + " autovacuum_vacuum_cost_delay = 0)";

  private static final Sql GRAPHS =
      new Sql(
          "create graphs",
          """
          create table {graphs} (
            id bigint primary key, created_at timestamptz not null, finished_at timestamptz,
            first_id bigint not null, last_id bigint not null)""");

  /**
   * The table of nodes. Ids of a graph are drawn together, so its rows are found by their range,
   * without a second index.
   */
  private static final Sql NODES =
      new Sql(
          "create nodes",
          """
          create table {nodes} (
            id bigint primary key, graph bigint not null, culprit bigint, missing integer not null,
            state smallint not null, on_dead smallint not null)"""
              + UPDATED);

  private static final Sql EDGES =
      new Sql(
          "create edges",
          """
          create table {edges} (
            parent bigint not null, child bigint not null, primary key (parent, child))""");

  private static final Sql HELD =
      new Sql(
          "create held tasks",
          """
          create table {held} (
            id bigint primary key, created_at timestamptz not null, run_at timestamptz,
            pause interval, parent_id bigint, lane smallint, kind text, payload text)""");

  private static final Sql SPREAD =
      new Sql(
          "create spread list",
          """
          create table {spread} (id bigint primary key, reason text)
            with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)""");

  private GraphDdl() {}

  /** The statements for a tenant's first graph. */
  public static List<String> create(TenantTables tenant) {
    return List.of(
        GRAPHS.on("graphs", tenant.graphs()),
        NODES.on("nodes", tenant.nodes()),
        EDGES.on("edges", tenant.edges()),
        HELD.on("held", tenant.held()),
        SPREAD.on("spread", tenant.spread()));
  }
}
