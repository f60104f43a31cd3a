package dev.rota.insight;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.history.HourlyStatistics;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Reads across all tenants of a database. Each read has a cost that grows neither with the number
 * of tasks nor with history: it takes counters of the server, open batches, and tables of sums. All
 * calls of one {@link Rota} share the sample of all tenants that was read within the last second;
 * one that takes long to read is shared for up to ten seconds. Thread-safe.
 *
 * <p>Each call throws {@link DatabaseException} if the database is not available or refuses, and
 * {@link dev.rota.SchemaMissingException} if it has no schema of Rota.
 *
 * @see Rota#insight()
 */
public interface Insight {

  /**
   * Reads the sums over all tenants.
   *
   * @return the sums
   */
  Overview overview();

  /**
   * Lists tenants with what they have to do.
   *
   * @param query which tenants, and in which order
   * @return one page of them
   */
  TenantPage tenants(TenantQuery query);

  /**
   * Reads what one tenant has to do.
   *
   * @param name its whole name
   * @return the tenant; empty if none had this name at the last look at the registry, at most half
   *     a minute ago
   */
  Optional<TenantActivity> tenant(String name);

  /**
   * Reads what became of attempts of each kind over all tenants, as workers with {@link
   * Worker.Builder#hourlyStatistics} counted them.
   *
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @return the kinds with ended attempts, those with the most attempts first
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   */
  List<KindActivity> kinds(Instant from, Instant to);

  /**
   * Reads what became of attempts of one kind over all tenants in each hour, as workers with {@link
   * Worker.Builder#hourlyStatistics} counted them.
   *
   * @param kind the kind
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @return the hours with ended attempts, in order
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   */
  List<HourlyStatistics> hours(String kind, Instant from, Instant to);

  /**
   * Lists the tenants with the most attempts of one kind, as workers with {@link
   * Worker.Builder#hourlyStatistics} counted them. It reads the newest hours of a time: about as
   * many as hold 10,000 counts of a tenant in an hour, and at least one.
   *
   * @param kind the kind
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @param limit how many at most; from 1 to 10,000
   * @return the tenants with ended attempts, and since when
   * @throws IllegalArgumentException if {@code to} is before {@code from}, or the limit is out of
   *     its bounds
   */
  TenantsOfKind tenantsOf(String kind, Instant from, Instant to, int limit);

  /**
   * Lists the processes that hold batches or are registered to, those alive first.
   *
   * @return at most a thousand
   */
  List<WorkerActivity> workers();

  /**
   * Lists kinds whose tasks stay pending because no living process has a handler for them. Workers
   * tell of them within a fifth of a lease after they find such tasks. A kind is listed for up to
   * 20 minutes after the last of its tasks is gone, unless a worker with a handler comes.
   *
   * @return the kinds, in order
   */
  List<UnhandledKind> unhandledKinds();

  /**
   * Lists the open batches, the longest claimed first.
   *
   * @param limit how many at most; from 1 to 10,000
   * @return the batches
   * @throws IllegalArgumentException if the limit is out of its bounds
   */
  List<RunningBatch> running(int limit);

  /**
   * Lists the errors of failed attempts, those with the most first, as workers with {@link
   * Worker.Builder#hourlyStatistics} counted them. Errors whose texts differ only in numbers,
   * identifiers, addresses and quoted words are one.
   *
   * @param query which errors
   * @return the errors
   */
  List<ErrorActivity> errors(ErrorQuery query);

  /**
   * Lists the tenants that had an error, those with the most dead attempts first.
   *
   * @param fingerprint as in {@link ErrorActivity#fingerprint()}
   * @param query which of its attempts count, and how many tenants at most
   * @return the tenants
   */
  List<TenantErrors> tenantsWith(long fingerprint, ErrorQuery query);

  /**
   * Lists schedules of all tenants.
   *
   * @param query which schedules
   * @return the schedules, by tenant and name
   */
  List<ScheduleEntry> schedules(ScheduleQuery query);

  /**
   * Reads the state of rotation, history, ledger and archive.
   *
   * @return the state
   */
  StorageReport storage();
}
