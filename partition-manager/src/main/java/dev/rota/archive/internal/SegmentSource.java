package dev.rota.archive.internal;

import dev.rota.archive.internal.parquet.Staging;
import dev.rota.history.ArchiveException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TableExtent;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
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
 * Reads a segment with the times of its batches, some megabytes at once, so that memory is bounded.
 * Used by one thread.
 */
public final class SegmentSource {

  private static final Sql DIVIDE_SEGMENT = Sql.named("divide_segment");
  private static final Sql READ_BATCHES = Sql.named("read_batches");
  private static final Sql READ_SEGMENT = Sql.named("read_segment");

  private static final long BYTES_TOGETHER = 4L << 20;

  private static final String[] STATES = states();
  private static final @Nullable Long[] UNKNOWN = new @Nullable Long[3];

  private final Transactions transactions;
  private final RegistryTables rota;
  private final String purpose;
  private final Name segment;
  private final Map<String, QueryPart> places;
  private long states;

  /** The start of a part, and the batches of its rows. */
  private record Part(String place, List<Long> batches) {}

  /** Decides the end of attempts whose batch is open; all others have ended. */
  public interface Running {

    /** Whether this batch is open. */
    boolean isOpen(long batch);

    /** Records an attempt of an open batch, and returns the ending to store. */
    Staging.Ending end(ResultSet row) throws SQLException;
  }

  /** The value for segments whose batches are all closed. */
  private static final Running NOTHING_RUNS =
      new Running() {
        @Override
        public boolean isOpen(long batch) {
          return false;
        }

        @Override
        public Staging.Ending end(ResultSet row) {
          throw new IllegalStateException("nothing runs");
        }
      };

  /** Creates the source of one segment of a tenant. */
  public SegmentSource(Transactions transactions, RegistryTables rota, TenantRef tenant, int seq) {
    this.transactions = transactions;
    this.rota = rota;
    this.purpose = "read a segment of " + tenant.label();
    this.segment = tenant.tables().segment(seq);
    this.places =
        Map.of(
            "segment", segment, "tenants", rota.tenants(), "number", DSL.inline(tenant.number()));
  }

  /** Adds all rows of a segment whose batches are closed, and returns the sum of their states. */
  public long readInto(Staging staging) throws SQLException {
    return readInto(staging, NOTHING_RUNS);
  }

  /** Adds all rows, and returns the sum of their states. */
  public long readInto(Staging staging, Running running) throws SQLException {
    TableExtent extent = transactions.run(purpose, session -> TableExtent.of(session, segment));
    for (BlockRange range : extent.ranges(BlockRange.READ_TOGETHER)) {
      String end = range.end().toString();
      List<Part> parts = parts(extent, range);
      for (int i = 0; i < parts.size(); i++) {
        String next = i + 1 < parts.size() ? parts.get(i + 1).place() : end;
        read(extent, parts.get(i), next, staging, running);
      }
    }
    return states;
  }

  private List<Part> parts(TableExtent extent, BlockRange range) throws SQLException {
    return inFile(
        extent,
        session ->
            session.run(
                BoundStatement.query(
                    DIVIDE_SEGMENT.call(),
                    DIVIDE_SEGMENT.on("segment", segment),
                    row -> new Part(row.getString(1), List.of((Long[]) row.getArray(2).getArray())),
                    BYTES_TOGETHER,
                    range.start(),
                    range.end())));
  }

  private void read(TableExtent extent, Part part, String next, Staging staging, Running running)
      throws SQLException {
    List<Boolean> unused =
        inFile(
            extent,
            session -> {
              Map<Long, @Nullable Long[]> batches = batches(session, part.batches());
              return session.run(
                  BoundStatement.query(
                      READ_SEGMENT.call(),
                      READ_SEGMENT.on(places),
                      row -> append(row, batches, staging, running),
                      part.place(),
                      next));
            });
  }

  /**
   * Reads a part. Reading locks the segment, so that the file that is looked up after it is the one
   * read.
   */
  private <T> T inFile(TableExtent extent, TransactionBody<T> reading) throws SQLException {
    return transactions.run(
        purpose,
        session -> {
          T result = reading.run(session);
          if (!TableExtent.of(session, segment).isSameFileAs(extent)) {
            throw new ArchiveException(
                "could not "
                    + purpose
                    + ": the table was rewritten meanwhile, as VACUUM FULL or CLUSTER do; it is read"
                    + " again later");
          }
          return result;
        });
  }

  private boolean append(
      ResultSet row, Map<Long, @Nullable Long[]> batches, Staging staging, Running running)
      throws SQLException {
    int state = row.getInt(5);
    long batch = row.getLong(2);
    states += state;
    Staging.Ending ending =
        state == AttemptStateCode.AS_BATCH.code() && running.isOpen(batch)
            ? running.end(row)
            : new Staging.Ending(STATES[state], null, null);
    staging.append(row, ending, batches.getOrDefault(batch, UNKNOWN));
    return true;
  }

  private Map<Long, @Nullable Long[]> batches(Session session, List<Long> ids) throws SQLException {
    Map<Long, @Nullable Long[]> batches = new HashMap<>();
    session.run(
        BoundStatement.query(
            READ_BATCHES.call(),
            READ_BATCHES.on("ledger", rota.ledgerView()),
            row ->
                batches.put(
                    row.getLong(1),
                    new @Nullable Long[] {
                      (Long) row.getObject(2), (Long) row.getObject(3), (Long) row.getObject(4)
                    }),
            (Object) ids.toArray(Long[]::new)));
    return batches;
  }

  /**
   * The labels of the states. All batches are closed, so that a row without a state of its own is
   * done.
   */
  private static String[] states() {
    String[] labels =
        Arrays.stream(AttemptStateCode.values())
            .map(AttemptStateCode::label)
            .toArray(String[]::new);
    labels[AttemptStateCode.AS_BATCH.code()] = AttemptStateCode.DONE.label();
    return labels;
  }
}
