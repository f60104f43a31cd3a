package dev.rota.partition.internal;

import dev.rota.internal.Lanes;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Finds rings that hold row versions so old that PostgreSQL would soon have to freeze them:
 * autovacuum is off for rings, but not the one that it starts against wraparound, at twice this age
 * by default. Used by one thread.
 */
final class AgeWatch implements Duty {

  private static final Sql AGED_TABLES = Sql.named("aged_tables");

  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final long OLD = 100_000_000;

  private final Mandate mandate;
  private final TenantBook book;
  private final TableSizes sizes;
  private final Set<RingId> rings = new HashSet<>();

  AgeWatch(Mandate mandate, TenantBook book) {
    this.mandate = mandate;
    this.book = book;
    this.sizes = new TableSizes(mandate);
  }

  @Override
  public String name() {
    return "look for old row versions";
  }

  @Override
  public long perform() throws SQLException {
    long startedAt = System.nanoTime();
    rings.clear();
    rings.addAll(look());
    return Pauses.betweenLooks(INTERVAL, startedAt);
  }

  /** Whether a ring is to be rotated for its age. Empty tables do not count: nothing is in them. */
  boolean isOld(RingId ring) {
    return rings.contains(ring);
  }

  /** A ring was rotated; the next look tells whether that was enough. */
  void rotated(RingId ring) {
    rings.remove(ring);
  }

  private Set<RingId> look() throws SQLException {
    long[] slots =
        book.all().stream()
            .flatMapToLong(entry -> entry.slots().stream().mapToLong(Long::longValue))
            .toArray();
    List<Long> aged =
        mandate.transaction(
            name(),
            session -> session.run(Call.query(AGED_TABLES, row -> row.getLong(1), slots, OLD)));
    if (aged.isEmpty()) {
      return Set.of();
    }
    return ringsOf(sizes.read(aged.stream().flatMapToLong(LongStream::of).toArray()));
  }

  private Set<RingId> ringsOf(Map<Long, Long> bytes) {
    Set<RingId> filled = new HashSet<>();
    for (TenantBook.Entry entry : book.all()) {
      for (int slot = 0; slot < entry.slots().size(); slot++) {
        if (bytes.getOrDefault(entry.slots().get(slot), 0L) > 0) {
          filled.add(new RingId(entry.number(), Lanes.of(slot)));
        }
      }
    }
    return filled;
  }
}
