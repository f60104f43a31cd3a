package dev.rota.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a database at one time: who works in it, what its tenants have to do, and what needs
 * attention. Texts from the database are not escaped for a screen. Times are by the clock of the
 * database. Immutable.
 *
 * @param server the server and the schema
 * @param leader the session of the daemon that leads; empty if none does
 * @param liveWorkers how many processes that hold batches have sent a heartbeat within their lease
 * @param tenants the tenants by ascending number
 * @param troubles what was set aside, and what hinders the archive
 * @see Admin#status()
 */
public record DatabaseStatus(
    Server server,
    Optional<Leader> leader,
    int liveWorkers,
    List<TenantStatus> tenants,
    Troubles troubles) {

  /**
   * Copies the list.
   *
   * @param server the server and the schema
   * @param leader the session of the daemon that leads
   * @param liveWorkers how many workers are alive
   * @param tenants the tenants
   * @param troubles what needs attention
   */
  public DatabaseStatus {
    tenants = List.copyOf(tenants);
  }

  /**
   * Counts the tenants without tables, which cost next to nothing.
   *
   * @return how many of the tenants are parked
   */
  public int parked() {
    return (int) tenants.stream().filter(tenant -> tenant.identity().parked()).count();
  }

  /**
   * The server and the schema.
   *
   * @param readAt when the status was read; compare the other times with this one
   * @param version that of PostgreSQL, such as {@code 18.1}
   * @param schemaVersion that of the newest migration; empty if the role may not read it
   */
  public record Server(Instant readAt, String version, Optional<String> schemaVersion) {}

  /**
   * The session that holds the leader's lock. The server shows all of it to superusers, members of
   * {@code pg_read_all_stats} and the role of the session, and the process to all.
   *
   * @param process the number of its server process
   * @param application its {@code application_name}
   * @param address the address of its host; empty also for a socket of the server's machine
   * @param connectedSince when it connected
   */
  public record Leader(
      int process,
      Optional<String> application,
      Optional<String> address,
      Optional<Instant> connectedSince) {}

  /**
   * What needs attention, at most ten of a sort.
   *
   * @param setAside rows that no worker could run, the latest first
   * @param archive what hinders the archive, the oldest first; also of tenants that are gone
   */
  public record Troubles(List<SetAsideRows> setAside, List<ArchiveTrouble> archive) {

    /**
     * Copies the lists.
     *
     * @param setAside rows that no worker could run
     * @param archive what hinders the archive
     */
    public Troubles {
      setAside = List.copyOf(setAside);
      archive = List.copyOf(archive);
    }
  }

  /**
   * Rows of a tenant that no worker could run for one reason. They are dead in its history.
   *
   * @param tenant the name of the tenant
   * @param rows how many there were
   * @param lastTask the id of the last one; 0 if it had none
   * @param lastAt when the last one was set aside
   * @param reason why, in words
   */
  public record SetAsideRows(
      String tenant, long rows, long lastTask, Instant lastAt, String reason) {}

  /**
   * Something that the archiver could not do, and tries again.
   *
   * @param tenant the number of the tenant, which may be gone
   * @param object a segment of history, or late objects of an erased tenant, in words
   * @param problem what went wrong
   */
  public record ArchiveTrouble(int tenant, String object, String problem) {

    /**
     * All of it for people.
     *
     * @return one sentence
     */
    @Override
    public String toString() {
      return object + ": " + problem;
    }
  }
}
