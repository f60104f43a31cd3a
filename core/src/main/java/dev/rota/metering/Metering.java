package dev.rota.metering;

import java.time.Instant;
import java.util.stream.Stream;

/**
 * Tells what each tenant used, by hours of UTC. Workers and daemons may be killed at any time: each
 * batch counts exactly once. Thread-safe.
 *
 * <p>A batch counts in the hour in which it is closed, by the clock of the database.
 */
public interface Metering {

  /**
   * Reads the usage of all tenants.
   *
   * @param from only hours that begin at this time or later
   * @param to only hours that begin before this time
   * @return the usage by hour, then by name of the tenant; hours without any are left out. The
   *     stream reads a day at a time and needs no closing
   * @throws IllegalArgumentException if the end is before the beginning
   * @throws dev.rota.RotaException if the database cannot be read; also from the stream
   */
  Stream<Usage> usage(Instant from, Instant to);

  /**
   * Reads the usage of one tenant.
   *
   * @param tenant the name of the tenant
   * @param from only hours that begin at this time or later
   * @param to only hours that begin before this time
   * @return as {@link #usage(Instant, Instant)} does
   * @throws dev.rota.UnknownTenantException if no tenant has the name
   * @throws IllegalArgumentException if the end is before the beginning
   * @throws dev.rota.RotaException if the database cannot be read; also from the stream
   */
  Stream<Usage> usage(String tenant, Instant from, Instant to);

  /**
   * Compares attempts and bytes with the history, hour by hour. It reads the history of these hours
   * and, for each segment of it, the ledger.
   *
   * <p>Only hours are compared whose batches are all in the ledger, and whose history is in the
   * database.
   *
   * @param from only hours that begin at this time or later
   * @param to only hours that begin before this time
   * @return the differences
   * @throws IllegalArgumentException if the end is before the beginning
   * @throws dev.rota.RotaException if the database cannot be read
   */
  UsageVerification verify(Instant from, Instant to);
}
