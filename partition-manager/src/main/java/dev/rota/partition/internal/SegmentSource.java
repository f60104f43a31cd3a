package dev.rota.partition.internal;

import dev.rota.archive.internal.Staging;
import dev.rota.internal.TenantHandle;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.HistorySql;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.StateCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sealed segment whose batches are all closed, some megabytes in each transaction, so that
 * none is long and memory is bounded. Used by one thread.
 */
final class SegmentSource {

  /** Eight megabytes. */
  private static final long BLOCKS_TOGETHER = 1_024;

  private static final long BYTES_TOGETHER = 4L << 20;

  private static final String[] STATES = states();
  private static final @Nullable Long[] UNKNOWN = new @Nullable Long[3];

  private final Mandate mandate;
  private final RotaTables rota;
  private final Pace pace;
  private final String purpose;
  private final Name segment;
  private final Map<String, QueryPart> places;
  private long states;

  /** Where a part begins, and the batches of its rows. */
  private record Part(String place, List<Long> batches) {}

  SegmentSource(Mandate mandate, RotaTables rota, Pace pace, TenantHandle tenant, int seq) {
    this.mandate = mandate;
    this.rota = rota;
    this.pace = pace;
    this.purpose = "archive a segment of " + tenant.label();
    this.segment = tenant.tables().segment(seq);
    this.places =
        Map.of(
            "segment", segment, "tenants", rota.tenants(), "number", DSL.inline(tenant.number()));
  }

  /** Adds all rows, and returns the sum of their states. */
  long readInto(Staging staging) throws SQLException {
    long blocks = mandate.transaction(purpose, this::blocks);
    for (long from = 0; from < blocks; from += BLOCKS_TOGETHER) {
      long to = from + BLOCKS_TOGETHER;
      String end = Place.startOf(to).toString();
      List<Part> parts = parts(Place.startOf(from).toString(), end);
      for (int i = 0; i < parts.size(); i++) {
        String next = i + 1 < parts.size() ? parts.get(i + 1).place() : end;
        read(parts.get(i), next, staging);
      }
    }
    return states;
  }

  private List<Part> parts(String from, String to) throws SQLException {
    long startedAt = System.nanoTime();
    List<Part> parts =
        mandate.lengthyTransaction(
            purpose,
            session ->
                session.run(
                    Call.query(
                        ArchiveSql.PARTS.call(),
                        ArchiveSql.PARTS.on("segment", segment),
                        row ->
                            new Part(
                                row.getString(1), List.of((Long[]) row.getArray(2).getArray())),
                        BYTES_TOGETHER,
                        from,
                        to)));
    pace.restAfter(startedAt);
    return parts;
  }

  private void read(Part part, String next, Staging staging) throws SQLException {
    long startedAt = System.nanoTime();
    mandate.lengthyTransaction(
        purpose,
        session -> {
          Map<Long, @Nullable Long[]> batches = batches(session, part.batches());
          return session.run(
              Call.query(
                  ArchiveSql.ROWS.call(),
                  ArchiveSql.ROWS.on(places),
                  row -> append(row, batches, staging),
                  part.place(),
                  next));
        });
    pace.restAfter(startedAt);
  }

  private boolean append(ResultSet row, Map<Long, @Nullable Long[]> batches, Staging staging)
      throws SQLException {
    int state = row.getInt(5);
    states += state;
    staging.append(row, STATES[state], batches.getOrDefault(row.getLong(2), UNKNOWN));
    return true;
  }

  private Map<Long, @Nullable Long[]> batches(Session session, List<Long> ids) throws SQLException {
    Map<Long, @Nullable Long[]> batches = new HashMap<>();
    session.run(
        Call.query(
            ArchiveSql.BATCHES.call(),
            ArchiveSql.BATCHES.on("ledger", rota.ledgerView()),
            row ->
                batches.put(
                    row.getLong(1),
                    new @Nullable Long[] {
                      (Long) row.getObject(2), (Long) row.getObject(3), (Long) row.getObject(4)
                    }),
            (Object) ids.toArray(Long[]::new)));
    return batches;
  }

  private long blocks(Session session) throws SQLException {
    return session
        .run(
            Call.query(
                HistorySql.BLOCKS.call(),
                HistorySql.BLOCKS.text(),
                row -> row.getLong(1),
                DiscoverySql.text(segment)))
        .get(0);
  }

  /** All batches are closed, so that what is as its batch is done. */
  private static String[] states() {
    String[] labels =
        Arrays.stream(StateCode.values()).map(StateCode::label).toArray(String[]::new);
    labels[StateCode.AS_BATCH.code()] = StateCode.DONE.label();
    return labels;
  }
}
