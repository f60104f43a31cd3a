package dev.rota.insight.internal;

import dev.rota.admin.TenantStatus.Running;
import dev.rota.insight.Overview;
import dev.rota.insight.Overview.Flow;
import dev.rota.insight.Overview.Tasks;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantActivity.Standing;
import dev.rota.insight.TenantActivity.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tenants and their counters at one moment. Immutable.
 *
 * @param readAt the moment, by the clock of the database
 * @param nanos the moment, by the clock of this process
 * @param tenants the registered tenants
 * @param counters those of the tenants that have tables, by number
 * @param running what workers hold, by tenant
 */
record BacklogSample(
    Instant readAt,
    long nanos,
    Tenants tenants,
    Map<Integer, Counters> counters,
    Map<Integer, Running> running) {

  private static final Counters NO_COUNTERS = new Counters(0, 0, 0, 0, Counters.NONE_PENDING);
  private static final Running NOTHING_RUNS = new Running(0, 0);

  /** The registered tenants: those with tables, and the others. */
  record Tenants(List<Entry> active, List<Entry> parked) {

    Stream<Entry> all() {
      return Stream.concat(active.stream(), parked.stream());
    }
  }

  /** A row of the registry; a tenant without tables has no time of a rotation. */
  record Entry(int number, String name, boolean closed, @Nullable Instant rotatedAt) {

    State state() {
      if (closed) {
        return State.CLOSED;
      }
      return rotatedAt == null ? State.PARKED : State.ACTIVE;
    }
  }

  /**
   * What the server counts of the tables of a tenant.
   *
   * @param oldestNanos the least age of its oldest pending task, or {@link #NONE_PENDING}
   */
  record Counters(long pending, long waiting, long arrived, long left, long oldestNanos) {

    static final long NONE_PENDING = -1;

    Counters plus(Counters other) {
      return new Counters(
          pending + other.pending,
          waiting + other.waiting,
          arrived + other.arrived,
          left + other.left,
          Math.max(oldestNanos, other.oldestNanos));
    }

    Optional<Duration> oldest() {
      return oldestNanos == NONE_PENDING
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(oldestNanos));
    }

    /** A counter that went back has begun anew. */
    Flow since(Counters before, long nanos) {
      double seconds = nanos / 1e9;
      return new Flow(
          Duration.ofNanos(nanos),
          Math.max(0, arrived - before.arrived) / seconds,
          Math.max(0, left - before.left) / seconds);
    }
  }

  private Counters of(int tenant) {
    return counters.getOrDefault(tenant, NO_COUNTERS);
  }

  private Running runningOf(int tenant) {
    return running.getOrDefault(tenant, NOTHING_RUNS);
  }

  /** The tenants, with how many tasks came and went since an earlier sample. */
  Stream<TenantActivity> activities(@Nullable BacklogSample before) {
    return tenants.all().map(tenant -> activity(tenant, before));
  }

  /** The tenant of a name, with how many of its tasks came and went since an earlier sample. */
  Optional<TenantActivity> activity(String name, @Nullable BacklogSample before) {
    return tenants
        .all()
        .filter(tenant -> tenant.name.equals(name))
        .findFirst()
        .map(tenant -> activity(tenant, before));
  }

  private TenantActivity activity(Entry tenant, @Nullable BacklogSample before) {
    Counters counted = of(tenant.number);
    Running held = runningOf(tenant.number);
    Optional<Flow> flow =
        before == null || !before.counters.containsKey(tenant.number)
            ? Optional.empty()
            : Optional.of(counted.since(before.of(tenant.number), nanos - before.nanos));
    return new TenantActivity(
        tenant.number,
        tenant.name,
        new Standing(tenant.state(), Optional.ofNullable(tenant.rotatedAt)),
        new Tasks(
            counted.pending, counted.waiting, held.tasks(), held.openBatches(), counted.oldest()),
        flow);
  }

  Overview.Tenants tenantCounts() {
    return new Overview.Tenants(
        tenants.active.size() + tenants.parked.size(),
        tenants.parked.size(),
        (int) tenants.all().filter(Entry::closed).count());
  }

  /** The tasks of all tenants. */
  Tasks tasks() {
    Counters sum = sum(counters.values());
    return new Tasks(
        sum.pending,
        sum.waiting,
        running.values().stream().mapToLong(Running::tasks).sum(),
        running.values().stream().mapToLong(Running::openBatches).sum(),
        sum.oldest());
  }

  /** How many tasks came and went, of the tenants that an earlier sample has too. */
  Optional<Flow> flow(@Nullable BacklogSample before) {
    if (before == null) {
      return Optional.empty();
    }
    double arrived = 0;
    double left = 0;
    long time = nanos - before.nanos;
    for (Map.Entry<Integer, Counters> each : counters.entrySet()) {
      Counters earlier = before.counters.get(each.getKey());
      if (earlier != null) {
        Flow one = each.getValue().since(earlier, time);
        arrived += one.arrived();
        left += one.claimed();
      }
    }
    return Optional.of(new Flow(Duration.ofNanos(time), arrived, left));
  }

  private static Counters sum(Collection<Counters> all) {
    return all.stream().reduce(NO_COUNTERS, Counters::plus);
  }

  /** How long ago the ring was switched of the tenant with tasks that waits longest. */
  Duration longestSinceRotation() {
    return tenants.active.stream()
        .filter(tenant -> of(tenant.number).pending > 0)
        .map(Entry::rotatedAt)
        .filter(at -> at != null)
        .min(Instant::compareTo)
        .map(at -> Duration.between(at, readAt))
        .filter(age -> !age.isNegative())
        .orElse(Duration.ZERO);
  }
}
