package dev.rota.limits;

import dev.rota.DatabaseException;
import dev.rota.UnknownTenantException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Changes the rules of scopes at run time, for all processes. Thread-safe.
 *
 * <p>A change is durable when a method returns, and in force everywhere within 150 milliseconds.
 * Processes without a worker follow within the refresh interval of the registry, one second unless
 * configured, and {@link dev.rota.Tenant#claim} within half a second. With roles, these methods
 * need the role {@code operator} or {@code daemon}.
 *
 * <p>All methods throw {@link UnknownTenantException} for a scope of a tenant that does not exist,
 * and {@link DatabaseException} if a transaction failed.
 */
public interface Controls {

  /** The plan of tenants that were given none. */
  String DEFAULT_PLAN = "default";

  /**
   * Changes the limits of a scope. No change of another caller is lost.
   *
   * @param scope a plan or a tenant; for a cap also everything, a kind, or a kind of a plan or
   *     tenant; for a breaker a kind, or a kind of a plan or tenant
   * @param change computes the new limits from the present ones; it runs within a transaction, so
   *     it must be quick
   * @return the new limits
   * @throws IllegalArgumentException if the scope cannot have these limits
   */
  Limits changeLimits(Scope scope, UnaryOperator<Limits> change);

  /**
   * Pauses a scope until it is resumed: none of its tasks begins any more. Tasks that are claimed
   * and did not begin go back without costing an attempt; those that run end. Enqueues go on. It
   * costs the same for any backlog. The pause replaces an earlier one of the same scope.
   *
   * @param scope the scope
   * @param reason why, for people; at most 1,000 characters are kept
   */
  void pause(Scope scope, String reason);

  /**
   * Pauses a scope for a time.
   *
   * @param scope the scope
   * @param reason as {@link #pause(Scope, String)}
   * @param length 1 millisecond to 36,500 days
   * @throws IllegalArgumentException if the length is out of range
   */
  void pause(Scope scope, String reason, Duration length);

  /**
   * Resumes a paused scope. Other pauses that cover its tasks stay.
   *
   * @param scope the same scope as that of the pause
   * @return whether it was paused
   */
  boolean resume(Scope scope);

  /**
   * Ends the pauses of a kind that handlers and its breaker ordered; {@link #resume} ends those of
   * {@link #pause}. A breaker that is trying tasks lets all through, and counts anew.
   *
   * @param scope a kind, or a kind of a tenant
   * @return whether there was such a pause, or a try
   * @throws IllegalArgumentException if the scope is another one
   */
  boolean reopen(Scope scope);

  /**
   * Waits until no task of a scope runs, in any process. For a paused scope, none begins after it
   * returned true. Tasks of a worker that was killed count until its lease is over. It does not see
   * tasks of workers that fire and forget.
   *
   * @param scope the scope
   * @param patience how long to wait at most
   * @return false if tasks still ran then, or if the thread was interrupted
   */
  boolean awaitQuiet(Scope scope, Duration patience);

  /**
   * Reads the rules of all scopes that have any.
   *
   * @return the rules; pauses that are over are left out. A scope has several if handlers or its
   *     breaker paused it
   */
  List<Rule> rules();

  /**
   * Gives a tenant a plan, whose rules hold for it from now on. Any name is a plan.
   *
   * @param tenant the name of the tenant
   * @param plan as in {@link Scope#plan}
   * @throws IllegalArgumentException if the plan is malformed
   */
  void changePlan(String tenant, String plan);

  /**
   * Reads the plan of a tenant.
   *
   * @param tenant the name of the tenant
   * @return the plan; {@link #DEFAULT_PLAN} unless it was changed
   */
  String planOf(String tenant);

  /**
   * Tells why tasks of a tenant do not begin. It reads a bounded number of rows, waits for no other
   * session, and needs no more rights than reading: the role {@code reader} is enough. It takes a
   * second longer if only other tenants hold back the tasks, to measure the shares.
   *
   * @param tenant the name; that of no tenant is a reason too, and throws nothing
   * @return all reasons that are known
   */
  Explanation why(String tenant);

  /**
   * Tells why tasks of one kind of a tenant do not begin.
   *
   * @param tenant the name
   * @param kind the kind
   * @return as {@link #why(String)}
   * @throws IllegalArgumentException if the kind is malformed
   */
  Explanation why(String tenant, String kind);

  /**
   * Tells the same, but not whether other tenants hold back the tasks: it measures no shares, and
   * answers at once.
   *
   * @param tenant the name
   * @param kind the kind; empty for all
   * @return as {@link #why(String)}, without {@link Reason.Code#SHARE}
   * @throws IllegalArgumentException if the kind is malformed
   */
  Explanation whyWithoutShares(String tenant, Optional<String> kind);

  /**
   * Measures the shares of tenants over two seconds, and returns the 20 that use most.
   *
   * @return the shares
   */
  default LiveShares top() {
    return top(Duration.ofSeconds(2), 20);
  }

  /**
   * Measures the shares of tenants. It reads twice, changes nothing, waits for no other session,
   * and needs no more rights than reading. The docs say how exact it is.
   *
   * @param window how long to measure, 100 milliseconds to 1 minute; the call takes as long
   * @param most how many tenants to return at most, 1 to 10,000
   * @return the shares
   * @throws IllegalArgumentException if an argument is out of range
   * @throws dev.rota.RotaException if the thread was interrupted meanwhile
   */
  LiveShares top(Duration window, int most);
}
