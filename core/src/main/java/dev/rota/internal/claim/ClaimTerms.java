package dev.rota.internal.claim;

import dev.rota.internal.db.BoundStatement.RowId;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.CancelCheck;
import dev.rota.internal.settle.ClaimedTask.Contents;
import dev.rota.internal.settle.ClaimedTask.Numbers;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jooq.Field;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all claims of one claimer share, and their statements. Compared by identity.
 */
final class ClaimTerms {

  static final Sql CLAIM = Sql.named("claim");
  private static final Sql CLAIM_KINDS = Sql.named("claim", "and_kinds");
  private static final Sql CLAIM_WIDE = Sql.named("claim_wide");
  private static final Sql CLAIM_WIDE_KINDS = Sql.named("claim_wide", "and_kinds");
  private static final Sql CLAIM_WEIGHED = Sql.named("claim_weighed");
  private static final Sql CLAIM_WEIGHED_KINDS = Sql.named("claim_weighed", "and_kinds");
  private static final Sql CLAIM_SOME = Sql.named("claim", "and_some_kinds");
  private static final Sql CLAIM_WIDE_SOME = Sql.named("claim_wide", "and_some_kinds");
  private static final Sql CLAIM_WEIGHED_SOME = Sql.named("claim_weighed", "and_some_kinds");
  private static final Sql CLAIM_BUT = Sql.named("claim", "but_kinds");
  private static final Sql CLAIM_WIDE_BUT = Sql.named("claim_wide", "but_kinds");
  private static final Sql CLAIM_WEIGHED_BUT = Sql.named("claim_weighed", "but_kinds");

  /** The largest payload, in bytes, that a claim without a byte limit returns. */
  static final int LARGEST_LIGHT = 4_096;

  private final int lockNamespace;
  private final @Nullable List<String> kinds;
  private final BatchEnd end;
  private final CancelCheck cancelCheck;
  private final @Nullable List<String> leftOut;

  /** What the texts of the statements belong to: terms that leave out kinds share theirs. */
  private final Object owner;

  private final Object ownerOfNarrowed;

  /**
   * Creates the terms for one set of kinds.
   *
   * @param kinds the kinds to claim, or null for all
   * @param end the state of the batches after the claim
   * @param cancelCheck tells whether cancellation of a claimed task was requested
   */
  ClaimTerms(
      int lockNamespace, @Nullable List<String> kinds, BatchEnd end, CancelCheck cancelCheck) {
    this.lockNamespace = lockNamespace;
    this.kinds = kinds;
    this.leftOut = null;
    this.end = end;
    this.cancelCheck = cancelCheck;
    this.owner = this;
    this.ownerOfNarrowed = new Object();
  }

  private ClaimTerms(ClaimTerms all, Set<String> some) {
    this.lockNamespace = all.lockNamespace;
    this.kinds =
        all.kinds == null ? null : all.kinds.stream().filter(kind -> !some.contains(kind)).toList();
    this.leftOut = List.copyOf(some);
    this.end = all.end;
    this.cancelCheck = all.cancelCheck;
    this.owner = all.ownerOfNarrowed;
    this.ownerOfNarrowed = all.ownerOfNarrowed;
  }

  /**
   * The same terms without some kinds. Which these are changes all the time where caps are short,
   * so they are a value of the statement.
   */
  ClaimTerms without(Set<String> some) {
    return some.isEmpty() || (kinds != null && kinds.stream().noneMatch(some::contains))
        ? this
        : new ClaimTerms(this, some);
  }

  /** Whether it leaves out kinds that the claimer knows. */
  boolean isNarrowed() {
    return leftOut != null;
  }

  /** The kinds as a value of the statement; null if they are a part of its text. */
  String @Nullable [] kindsValue() {
    if (leftOut == null) {
      return null;
    }
    return (kinds == null ? leftOut : kinds).toArray(new String[0]);
  }

  int lockNamespace() {
    return lockNamespace;
  }

  /** The kinds to claim, or null for all. */
  @Nullable List<String> kinds() {
    return kinds;
  }

  /** The state of the batches after the claim. */
  BatchEnd end() {
    return end;
  }

  CancelCheck cancelCheck() {
    return cancelCheck;
  }

  /** The statement that claims from a slot of a tenant into one of its segments. */
  String statement(TenantRef tenant, boolean weighed, int slot, int segment) {
    Sql statement = weighed ? weighed() : light(tenant.state().lanes().areWide());
    return tenant
        .statements()
        .onSegment(statement, segment, slot, owner, () -> constants(tenant.number(), slot));
  }

  private Map<String, QueryPart> constants(int tenant, int slot) {
    Map<String, QueryPart> constants = new HashMap<>();
    constants.put("tenant", DSL.inline(tenant));
    constants.put("namespace", DSL.inline(lockNamespace));
    constants.put("lane", laneOf(slot));
    constants.put("largest_light", DSL.inline(LARGEST_LIGHT));
    if (kinds != null && leftOut == null) {
      constants.put("kinds", arrayOf(kinds));
    }
    return constants;
  }

  /**
   * The text of an array, without a cast; see the notes on the claim. Kinds have no quotes in them.
   */
  static Field<String> arrayOf(List<String> kinds) {
    return DSL.inline(kinds.stream().collect(Collectors.joining("\",\"", "{\"", "\"}")));
  }

  /** The value of the column {@code lane}, without a cast; see the notes on the claim. */
  private static Field<Short> laneOf(int slot) {
    int lane = PriorityLanes.of(slot);
    return lane == 0 ? DSL.inline(null, SQLDataType.SMALLINT) : PriorityLanes.valueOf(lane);
  }

  private Sql light(boolean wide) {
    if (leftOut == null) {
      return kinds == null ? any(wide) : wide ? CLAIM_WIDE_KINDS : CLAIM_KINDS;
    }
    if (kinds == null) {
      return wide ? CLAIM_WIDE_BUT : CLAIM_BUT;
    }
    return wide ? CLAIM_WIDE_SOME : CLAIM_SOME;
  }

  private static Sql any(boolean wide) {
    return wide ? CLAIM_WIDE : CLAIM;
  }

  private Sql weighed() {
    if (leftOut == null) {
      return kinds == null ? CLAIM_WEIGHED : CLAIM_WEIGHED_KINDS;
    }
    return kinds == null ? CLAIM_WEIGHED_BUT : CLAIM_WEIGHED_SOME;
  }

  /**
   * Reads the rows of a claim, which may contain values written by other programs. Kinds repeat, so
   * that most are checked only once. Used by one thread.
   */
  static final class ClaimedRows {

    private final ClaimedTask.Origin origin;
    private final boolean weighed;
    private String kind = "";
    private boolean odd;
    private boolean keyed;
    private int traits;
    private boolean large;
    private long bytes;

    /**
     * Creates the reader for the rows of one batch.
     *
     * @param weighed whether the claim sums bytes, and returns payloads of any size
     */
    ClaimedRows(ClaimedTask.Origin origin, boolean weighed) {
      this.origin = origin;
      this.weighed = weighed;
    }

    /**
     * Whether a payload is large; in a claim that sums no bytes, also whether one was left out and
     * so may be large.
     */
    boolean hasLarge() {
      return large;
    }

    /** The bytes of all payloads, those of odd tasks included. */
    long bytes() {
      return bytes;
    }

    /** Whether one of the tasks is {@link ClaimedTask#isOdd odd}. */
    boolean hasOdd() {
      return odd;
    }

    /** Whether one of the tasks has a key. */
    boolean hasKeyed() {
      return keyed;
    }

    /** The flags of all tasks together. */
    int traits() {
      return traits;
    }

    /** Reads a row; its columns are in the order of the RETURNING clause of the claim. */
    ClaimedTask read(PriorityLanes.Lane lane, ResultSet row) throws SQLException {
      RowId place = RowId.parse(row.getString(1));
      Numbers numbers = numbers(lane, row);
      Contents contents = contents(row);
      if (numbers == null || contents == null) {
        odd = true;
        return ClaimedTask.odd(origin, place, lane);
      }
      keyed |= contents.marks().key() != null;
      traits |= contents.marks().traits();
      return new ClaimedTask(origin, place, numbers, contents);
    }

    private static @Nullable Numbers numbers(PriorityLanes.Lane lane, ResultSet row)
        throws SQLException {
      long id = row.getLong(2);
      if (id == 0 && row.wasNull()) {
        return null;
      }
      long parent = row.getLong(4);
      OptionalLong parentId = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(parent);
      byte[] wire = row.getBytes(3);
      int attempt = row.getInt(5);
      return wire == null || attempt < 1 || !BinaryTimestamp.isOfCalendar(wire)
          ? null
          : new Numbers(id, BinaryTimestamp.read(wire), parentId, attempt, lane);
    }

    private @Nullable Contents contents(ResultSet row) throws SQLException {
      String ownKind = row.getString(6);
      String payload = row.getString(7);
      byte[] utf8 = row.getBytes(7);
      large |= payload == null ? !weighed : payload.length() > ClaimTerms.LARGEST_LIGHT;
      bytes += utf8 == null ? 0 : utf8.length;
      if (ownKind == null || payload == null || !isKind(ownKind)) {
        return null;
      }
      return Contents.of(kind, payload, row.getString(8), row.getInt(9));
    }

    /**
     * Whether the text is a valid kind. It keeps the last one, so that tasks of one kind share its
     * text.
     */
    private boolean isKind(String text) {
      if (text.equals(kind)) {
        return true;
      }
      boolean fit = TaskValidator.isKind(text);
      kind = fit ? text : kind;
      return fit;
    }

    /** Decodes a time as PostgreSQL sends it: microseconds since the year 2000, in eight bytes. */
    private static final class BinaryTimestamp {

      private static final long EPOCH_SECOND =
          Instant.parse("2000-01-01T00:00:00Z").getEpochSecond();
      private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

      private static final long EARLIEST = since2000("0001-01-01T00:00:00Z");
      private static final long LATEST = since2000("+10000-01-01T00:00:00Z");

      private BinaryTimestamp() {}

      private static long since2000(String time) {
        return TimeUnit.SECONDS.toMicros(Instant.parse(time).getEpochSecond() - EPOCH_SECOND);
      }

      /** Whether the time is in the years 1 to 9999: times beyond break later computations. */
      static boolean isOfCalendar(byte[] wire) {
        long micros = ByteBuffer.wrap(wire).getLong();
        return micros >= EARLIEST && micros < LATEST;
      }

      static Instant read(byte[] wire) {
        long micros = ByteBuffer.wrap(wire).getLong();
        long nanos = TimeUnit.MICROSECONDS.toNanos(Math.floorMod(micros, MICROS));
        return Instant.ofEpochSecond(EPOCH_SECOND + Math.floorDiv(micros, MICROS), nanos);
      }
    }
  }
}
