package dev.rota.limits;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What tenants have of the handlers now, and what they should have by weights and tiers.
 *
 * @param at when it was measured, by the clock of the database
 * @param window the time over which run time was summed up
 * @param handlers all handlers together
 * @param tenants those that use handlers or have pending tasks, those that use most first
 * @param leftOut how many such tenants were left out, since no more were asked for
 */
public record LiveShares(
    Instant at, Duration window, Handlers handlers, List<TenantShare> tenants, int leftOut) {

  /** Creates the shares with a copy of the list. */
  public LiveShares {
    tenants = List.copyOf(tenants);
  }

  /**
   * All handlers together.
   *
   * @param workers the processes with a live heartbeat
   * @param busy how many handlers ran tasks, on average over the window
   */
  public record Handlers(int workers, double busy) {}

  /**
   * One tenant.
   *
   * @param tenant its name
   * @param share its share of the handlers
   * @param tasks its tasks
   * @param heldBackBy what holds back its tasks beside other tenants
   */
  public record TenantShare(
      String tenant, Share share, Backlog tasks, Set<Reason.Code> heldBackBy) {

    /** Creates a share with a copy of the set. */
    public TenantShare {
      heldBackBy = Set.copyOf(heldBackBy);
    }
  }

  /**
   * A share of the handlers that are busy.
   *
   * @param handlers how many handlers the tenant used, on average over the window
   * @param is its part of the run time of all tenants, 0 to 1
   * @param due the part that it should have, given what all tenants want; 0 to 1
   * @param weight its weight
   * @param tier its tier
   */
  public record Share(double handlers, double is, double due, double weight, int tier) {}

  /**
   * The tasks of a tenant.
   *
   * @param running those that workers have claimed, run or not
   * @param pending those in rings, as the server estimates
   * @param oldestPending how long about the oldest of them is there, where it was cheap to read
   */
  public record Backlog(long running, long pending, Optional<Duration> oldestPending) {}
}
