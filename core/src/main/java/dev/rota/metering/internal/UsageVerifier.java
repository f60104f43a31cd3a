package dev.rota.metering.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.metering.UsageVerification;
import dev.rota.metering.UsageVerification.Counts;
import dev.rota.metering.UsageVerification.Difference;
import dev.rota.metering.internal.UsageReader.Span;
import dev.rota.metering.internal.UsageRow.TenantHour;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Name;

/** Compares the usage with the history, in one snapshot. Thread-safe. */
final class UsageVerifier {

  private static final Sql READ_COMPLETENESS = Sql.named("read_completeness");
  private static final Sql LIST_HOURS_OF_LEDGER = Sql.named("list_hours_of_ledger");
  private static final Sql COUNT_HISTORY_OF_HOURS = Sql.named("count_history_of_hours");

  private static final Counts NOTHING = new Counts(0, 0);

  private final UsageReader reader;
  private final RegistryTables tables;

  UsageVerifier(UsageReader reader, RegistryTables tables) {
    this.reader = reader;
    this.tables = tables;
  }

  /** A segment of the history of a tenant. */
  private record Segment(int tenant, int seq) {}

  /** An hour of which a segment of history has batches. */
  private record Part(Segment segment, TenantHour hour, boolean present) {}

  UsageVerification verify(Span span) {
    return reader.inSnapshot(session -> verify(session, span));
  }

  private UsageVerification verify(Session session, Span span) throws SQLException {
    Map<TenantHour, UsageRow> usage = reader.read(session, span);
    usage.values().removeIf(row -> row.attempts() == 0 && row.more().bytes() == 0);
    long complete = session.run(reader.query(READ_COMPLETENESS, row -> row.getLong(1))).get(0);
    List<Part> parts = parts(session, span);
    Set<TenantHour> incomplete = new HashSet<>();
    parts.stream()
        .filter(part -> !part.present || part.hour.hour() < complete)
        .forEach(part -> incomplete.add(part.hour));
    usage.keySet().stream().filter(key -> key.hour() < complete).forEach(incomplete::add);
    Map<TenantHour, Counts> history = new HashMap<>();
    for (Segment segment : segments(parts)) {
      count(session, segment, span, history);
    }
    return compare(usage, history, incomplete);
  }

  private static List<Segment> segments(List<Part> parts) {
    return parts.stream().filter(Part::present).map(Part::segment).distinct().toList();
  }

  private List<Part> parts(Session session, Span span) throws SQLException {
    return session.run(
        reader.query(
            LIST_HOURS_OF_LEDGER,
            row ->
                new Part(
                    new Segment(row.getInt(1), row.getInt(2)),
                    new TenantHour(row.getInt(1), row.getLong(3)),
                    row.getBoolean(4)),
            span.from().toString(),
            span.to().toString()));
  }

  private void count(Session session, Segment segment, Span span, Map<TenantHour, Counts> to)
      throws SQLException {
    Map<String, Name> places =
        Map.of(
            "segment", tables.tenant(segment.tenant).segment(segment.seq),
            "ledger", tables.ledgerView());
    session.run(
        BoundStatement.query(
            COUNT_HISTORY_OF_HOURS.call(),
            COUNT_HISTORY_OF_HOURS.on(places),
            row ->
                to.merge(
                    new TenantHour(segment.tenant, row.getLong(1)),
                    new Counts(row.getLong(2), row.getLong(3)),
                    UsageVerifier::sum),
            segment.tenant,
            segment.seq,
            span.from().toString(),
            span.to().toString()));
  }

  private static Counts sum(Counts one, Counts other) {
    return new Counts(one.attempts() + other.attempts(), one.bytes() + other.bytes());
  }

  private static UsageVerification compare(
      Map<TenantHour, UsageRow> usage,
      Map<TenantHour, Counts> history,
      Set<TenantHour> incomplete) {
    Set<TenantHour> keys = new HashSet<>(usage.keySet());
    keys.addAll(history.keySet());
    keys.removeAll(incomplete);
    List<UsageRow> different = new ArrayList<>();
    for (TenantHour key : keys) {
      UsageRow row = usage.getOrDefault(key, UsageRow.nothing(key));
      if (!counts(row).equals(history.getOrDefault(key, NOTHING))) {
        different.add(row);
      }
    }
    different.sort(UsageRow.ORDER);
    return new UsageVerification(
        keys.size(),
        incomplete.size(),
        different.stream()
            .map(row -> difference(row, history.getOrDefault(row.key(), NOTHING)))
            .toList());
  }

  private static Difference difference(UsageRow row, Counts history) {
    return new Difference(
        row.name(), Instant.ofEpochSecond(row.key().hour()), counts(row), history);
  }

  private static Counts counts(UsageRow row) {
    return new Counts(row.attempts(), row.more().bytes());
  }
}
