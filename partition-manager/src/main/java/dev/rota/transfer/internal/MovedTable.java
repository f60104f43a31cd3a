package dev.rota.transfer.internal;

import static dev.rota.transfer.internal.Column.bigint;
import static dev.rota.transfer.internal.Column.flag;
import static dev.rota.transfer.internal.Column.integer;
import static dev.rota.transfer.internal.Column.numeric;
import static dev.rota.transfer.internal.Column.smallint;
import static dev.rota.transfer.internal.Column.span;
import static dev.rota.transfer.internal.Column.text;
import static dev.rota.transfer.internal.Column.time;

import dev.rota.internal.db.TenantTables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.Name;

/**
 * Rows that travel together: the columns of a table, or of a file of an export. What belongs to the
 * one database, such as the number of the tenant, is none of them.
 *
 * @param name the name of the file, and what counts call the rows
 * @param columns in the order of the file
 */
record MovedTable(String name, List<Column> columns) {

  static final MovedTable RING =
      new MovedTable(
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

  static final MovedTable WAITING =
      new MovedTable(
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

  static final MovedTable KEYS =
      new MovedTable(
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

  static final MovedTable GRAPHS =
      new MovedTable(
          "graphs",
          List.of(
              bigint("id"),
              time("created_at"),
              time("finished_at"),
              bigint("first_id"),
              bigint("last_id")));

  static final MovedTable NODES =
      new MovedTable(
          "graph-nodes",
          List.of(
              bigint("id"),
              bigint("graph"),
              bigint("culprit"),
              integer("missing"),
              smallint("state"),
              smallint("on_dead")));

  static final MovedTable EDGES =
      new MovedTable("graph-edges", List.of(bigint("parent"), bigint("child")));

  static final MovedTable HELD =
      new MovedTable(
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

  static final MovedTable SPREAD =
      new MovedTable("graph-spread", List.of(bigint("id"), text("reason")));

  /** Who is known to pools; {@code pool} is the number that the pool had where it came from. */
  static final MovedTable KNOWN =
      new MovedTable("pool-members", List.of(bigint("id"), integer("pool")));

  /** The same with the pool's number here, and the place among the free ones. */
  static final MovedTable FREE =
      new MovedTable("free", List.of(bigint("id"), integer("pool"), integer("spot")));

  static final MovedTable POOLS =
      new MovedTable(
          "pools", List.of(integer("number"), smallint("kind"), text("name"), time("created_at")));

  static final MovedTable SCHEDULES =
      new MovedTable(
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

  static final MovedTable STATISTICS =
      new MovedTable(
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
              text("kind")));

  static final MovedTable SEGMENTS =
      new MovedTable(
          "segments",
          List.of(
              integer("seq"),
              time("opened_at"),
              time("sealed_at"),
              time("dropped_at"),
              bigint("rows")));

  static final MovedTable ARCHIVE =
      new MovedTable(
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

  /** A segment of history, as the database has it. */
  static final MovedTable HISTORY =
      new MovedTable(
          "history",
          List.of(
              bigint("id"),
              bigint("batch_id"),
              time("created_at"),
              bigint("parent_id"),
              time("finished_at"),
              integer("attempt"),
              smallint("state"),
              text("kind"),
              text("payload"),
              text("error"),
              text("key"),
              integer("traits"),
              smallint("lane")));

  /** Batches that have ended. */
  static final MovedTable LEDGER =
      new MovedTable(
          "batches",
          List.of(
              bigint("id"),
              bigint("worker"),
              time("claimed_at"),
              time("closed_at"),
              integer("tasks")));

  /** The pending tasks of one lane. */
  static MovedTable ring(int lane) {
    return new MovedTable(RING.name() + "-" + lane, RING.columns());
  }

  /**
   * The tables that a tenant may have, and where the rows of each stand, in an order to fill them.
   */
  static Map<MovedTable, Name> of(TenantTables own) {
    Map<MovedTable, Name> tables = new LinkedHashMap<>();
    tables.put(MovedTable.WAITING, own.waiting());
    tables.put(MovedTable.KEYS, own.keys());
    tables.put(MovedTable.GRAPHS, own.graphs());
    tables.put(MovedTable.NODES, own.nodes());
    tables.put(MovedTable.EDGES, own.edges());
    tables.put(MovedTable.HELD, own.held());
    tables.put(MovedTable.SPREAD, own.spread());
    return tables;
  }

  String file() {
    return name + ".parquet";
  }

  /** The values out of PostgreSQL. */
  String read() {
    return joined(Column::read);
  }

  /** The names of the columns. */
  String names() {
    return joined(Column::name);
  }

  /** About how many bytes a row takes, known without reading it. */
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
