package dev.rota.internal;

import dev.rota.Task;
import dev.rota.internal.db.Place;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A claimed task with its place in history. */
public final class ClaimedTask implements Task {

  private final TenantHandle tenant;
  private final Place place;
  private final Numbers numbers;
  private final Contents contents;

  private ClaimedTask(TenantHandle tenant, Place place, Numbers numbers, Contents contents) {
    this.tenant = tenant;
    this.place = place;
    this.numbers = numbers;
    this.contents = contents;
  }

  /** Reads a row of a claim; its columns stand in the order of the RETURNING of the claim. */
  static ClaimedTask read(TenantHandle tenant, ResultSet row) throws SQLException {
    long parent = row.getLong(4);
    boolean hasParent = !row.wasNull();
    Numbers numbers =
        new Numbers(
            row.getLong(2),
            WireTime.read(row.getBytes(3)),
            hasParent ? OptionalLong.of(parent) : OptionalLong.empty(),
            row.getInt(5));
    Contents contents =
        new Contents(row.getString(6), row.getString(7), row.getString(8), row.getInt(9));
    return new ClaimedTask(tenant, Place.parse(row.getString(1)), numbers, contents);
  }

  @Override
  public long id() {
    return numbers.id();
  }

  @Override
  public String tenant() {
    return tenant.state().name();
  }

  @Override
  public String kind() {
    return contents.kind();
  }

  @Override
  public String payload() {
    return contents.payload();
  }

  @Override
  public int attempt() {
    return numbers.attempt();
  }

  @Override
  public OptionalLong parentId() {
    return numbers.parentId();
  }

  @Override
  public Instant createdAt() {
    return numbers.createdAt();
  }

  /** Its key, or null. */
  @Nullable String key() {
    return contents.key();
  }

  /** Bits of {@link Traits}. */
  int traits() {
    return contents.traits();
  }

  /** Whether its end brings something with it. */
  public boolean isMarked() {
    return contents.key() != null || contents.traits() != 0;
  }

  TenantHandle handle() {
    return tenant;
  }

  /** Where the task stands in the segment of its batch. */
  Place place() {
    return place;
  }

  @Override
  public String toString() {
    return "task " + id() + " (" + kind() + ", attempt " + attempt() + ") of " + tenant.label();
  }

  private record Contents(String kind, String payload, @Nullable String key, int traits) {}

  private record Numbers(long id, Instant createdAt, OptionalLong parentId, int attempt) {}
}
