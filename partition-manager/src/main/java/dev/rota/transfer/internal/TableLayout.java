package dev.rota.transfer.internal;

import static dev.rota.transfer.internal.Column.bigint;
import static dev.rota.transfer.internal.Column.bigints;
import static dev.rota.transfer.internal.Column.flag;
import static dev.rota.transfer.internal.Column.integer;
import static dev.rota.transfer.internal.Column.numeric;
import static dev.rota.transfer.internal.Column.smallint;
import static dev.rota.transfer.internal.Column.span;
import static dev.rota.transfer.internal.Column.text;
import static dev.rota.transfer.internal.Column.time;

import dev.rota.internal.schema.HistoryColumns;
import dev.rota.internal.sql.TenantTables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.Name;

/**
 * The columns of rows that are transferred together, of a table or of a file of an export. Columns
 * that make sense only in one database, such as the number of the tenant, are left out.
 *
 * @param name the name of the file, and of its rows in counts
 * @param columns in the order of the file
 */
record TableLayout(String name, List<Column> columns) {

  static final TableLayout RING =
      new TableLayout(
          "pending",
          List.of(
              bigint("id"),
              time("created_at"),
              bigint("parent_id"),
              integer("attempt"),
              text("kind"),
              text("payload"),
              text("key"),
              integer("traits")));

  static final TableLayout WAITING =
      new TableLayout(
          "waiting",
          List.of(
              bigint("id"),
              time("run_at"),
              time("created_at"),
              bigint("parent_id"),
              integer("attempt"),
              text("kind"),
              text("payload"),
              text("key"),
              integer("traits"),
              smallint("lane")));

  static final TableLayout KEYS =
      new TableLayout(
          "keys",
          List.of(
              text("key"),
              bigint("task_id"),
              flag("live"),
              bigint("run"),
              time("free_at"),
              bigint("version"),
              smallint("lane"),
              text("kind"),
              text("payload")));

  static final TableLayout GRAPHS =
      new TableLayout(
          "graphs",
          List.of(
              bigint("id"),
              time("created_at"),
              time("finished_at"),
              bigint("first_id"),
              bigint("last_id")));

  static final TableLayout NODES =
      new TableLayout(
          "graph-nodes",
          List.of(
              bigint("id"),
              bigint("graph"),
              bigint("culprit"),
              integer("missing"),
              smallint("state"),
              smallint("on_dead")));

  static final TableLayout EDGES =
      new TableLayout("graph-edges", List.of(bigint("parent"), bigint("child")));

  static final TableLayout HELD =
      new TableLayout(
          "graph-held",
          List.of(
              bigint("id"),
              time("created_at"),
              time("run_at"),
              span("pause"),
              bigint("parent_id"),
              smallint("lane"),
              text("kind"),
              text("payload")));

  static final TableLayout SPREAD =
      new TableLayout("graph-spread", List.of(bigint("id"), text("reason")));

  /**
   * The known members of pools; {@code pool} is the number of the pool in the exporting database.
   */
  static final TableLayout KNOWN =
      new TableLayout("pool-members", List.of(bigint("id"), integer("pool")));

  /** The free members, with the pool's number here, and their position among the free ones. */
  static final TableLayout FREE =
      new TableLayout("free", List.of(bigint("id"), integer("pool"), integer("spot")));

  static final TableLayout POOLS =
      new TableLayout(
          "pools", List.of(integer("number"), smallint("kind"), text("name"), time("created_at")));

  static final TableLayout SCHEDULES =
      new TableLayout(
          "schedules",
          List.of(
              text("name"),
              text("cron"),
              span("period"),
              text("zone"),
              time("starting_at"),
              text("kind"),
              text("payload"),
              bigint("parent_id"),
              text("missed"),
              text("overlapping"),
              span("jitter"),
              flag("paused"),
              time("planned_at"),
              time("run_at"),
              time("last_run_at"),
              bigint("last_task_id"),
              bigint("skipped"),
              bigint("version"),
              time("created_at"),
              smallint("priority")));

  static final TableLayout STATISTICS =
      new TableLayout(
          "statistics",
          List.of(
              time("hour"),
              bigint("done"),
              bigint("failed"),
              bigint("dead"),
              bigint("cancelled"),
              bigint("run_micros"),
              bigint("first_attempts"),
              bigint("wait_micros"),
              text("kind"),
              bigints("run_buckets"),
              bigints("wait_buckets")));

  /** The plan of the tenant, and its own rules as JSON; no row of a tenant that has neither. */
  static final TableLayout LIMITS = new TableLayout("limits", List.of(text("plan"), text("rules")));

  static final TableLayout SEGMENTS =
      new TableLayout(
          "segments",
          List.of(
              integer("seq"),
              time("opened_at"),
              time("sealed_at"),
              time("dropped_at"),
              bigint("rows")));

  static final TableLayout ARCHIVE =
      new TableLayout(
          "archive",
          List.of(
              integer("seq"),
              time("opened_at"),
              time("sealed_at"),
              text("key"),
              bigint("bytes"),
              bigint("rows"),
              numeric("id_sum"),
              bigint("state_sum"),
              text("sha256"),
              bigint("id_from"),
              bigint("id_to"),
              time("created_from"),
              time("created_to"),
              time("claimed_from"),
              time("claimed_to")));

  /** The columns of a segment of history in the database. */
  static final TableLayout HISTORY =
      new TableLayout("history", HistoryColumns.OF_SEGMENT.stream().map(Column::of).toList());

  /** The columns of ended batches. */
  static final TableLayout LEDGER =
      new TableLayout(
          "batches",
          List.of(
              bigint("id"),
              bigint("worker"),
              time("claimed_at"),
              time("closed_at"),
              integer("tasks")));

  /** The layout of the pending tasks of one lane. */
  static TableLayout ring(int lane) {
    return new TableLayout(RING.name() + "-" + lane, RING.columns());
  }

  /** The tables that a tenant may have, by layout, in an order to fill them. */
  static Map<TableLayout, Name> of(TenantTables own) {
    Map<TableLayout, Name> tables = new LinkedHashMap<>();
    tables.put(TableLayout.WAITING, own.waiting());
    tables.put(TableLayout.KEYS, own.keys());
    tables.put(TableLayout.GRAPHS, own.graphs());
    tables.put(TableLayout.NODES, own.nodes());
    tables.put(TableLayout.EDGES, own.edges());
    tables.put(TableLayout.HELD, own.held());
    tables.put(TableLayout.SPREAD, own.spread());
    return tables;
  }

  String file() {
    return name + ".parquet";
  }

  /** The expressions that read the values from PostgreSQL. */
  String read() {
    return joined(Column::read);
  }

  /** The names of the columns. */
  String names() {
    return joined(Column::name);
  }

  /** The approximate size of a row in bytes, computed without its long values. */
  String size() {
    return columns.stream()
        .filter(Column::isText)
        .map(column -> " + coalesce(octet_length(h." + column.name() + "::text), 0)")
        .collect(Collectors.joining("", "200", ""));
  }

  String joined(Function<Column, String> part) {
    return columns.stream().map(part).collect(Collectors.joining(", "));
  }
}
