package dev.rota.internal.claim;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.RuleVersions;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A request to claim from one tenant.
 *
 * @param tenant the tenant
 * @param max how many tasks at most
 * @param slots the slots to visit, as bits
 * @param verify whether an empty result must be certain: scan again from block 0 even if that was
 *     done less than a second ago
 */
public record ClaimRequest(TenantRef tenant, int max, int slots, boolean verify) {

  /** All slots of all lanes that a tenant can have. */
  public static final int ALL_SLOTS = (1 << 30) - 1;

  /** Returns a copy for at most this many tasks. */
  public ClaimRequest upTo(int rows) {
    return rows == max ? this : new ClaimRequest(tenant, rows, slots, verify);
  }

  /**
   * The result of a claim from one tenant.
   *
   * @param tenant the tenant
   * @param batch the tasks, and the location of their rows
   * @param state what may be left in the tenant's rings
   */
  public record ClaimResult(TenantRef tenant, ClaimedBatch batch, RingState state) {

    /** The state of the tenant's rings after a claim. */
    public enum RingState {
      /** The claim got as many tasks as requested: there may be more. */
      MORE,
      /**
       * The claim got fewer tasks than requested, scanning from the hints: at most the blocks
       * before a hint hold more.
       */
      CAUGHT_UP,
      /** The claim took all visible tasks. */
      EMPTY,
      /** Another consumer is claiming from this tenant at this moment. */
      BUSY
    }

    List<ClaimedTask> tasks() {
      return batch.tasks();
    }
  }

  /**
   * Knows when the rules that this process follows were the present ones, so that a claim asks for
   * their version only if no look of the process did lately. Thread-safe.
   */
  public static final class RecentRules implements RuleVersions {

    private final TaskRules.Source source;
    private final TenantRegistry registry;
    private final LongSupplier nanoTime;
    private final String lookForVersion;
    private volatile Seen seen = new Seen(-1, 0);

    /**
     * A look that found the version that the process follows.
     *
     * @param history the number of the history of the server, as the registry counts them
     * @param at when it began, by {@link #now}
     */
    private record Seen(int history, long at) {}

    /** Creates the knowledge of one process, which has seen nothing yet. */
    public RecentRules(TaskRules.Source source, TenantRegistry registry, LongSupplier nanoTime) {
      this.source = source;
      this.registry = registry;
      this.nanoTime = nanoTime;
      this.lookForVersion =
          Sql.render(select(field(name("version"))).from(table(registry.tables().ruleVersion())));
    }

    /** The time by its clock. */
    public long now() {
      return nanoTime.getAsLong();
    }

    /**
     * Records that the process follows the version that a look found.
     *
     * @param history the history of the server that the look was in
     * @param at when the look began, by {@link #now}
     */
    public void saw(int history, long at) {
      seen = new Seen(history, at);
    }

    @Override
    public void ensureRecent(Session session) throws SQLException {
      Seen last = seen;
      if (last.history == registry.history() && now() - last.at < TaskRules.Source.RECENT_NANOS) {
        return;
      }
      Look look = begin();
      for (long version :
          session.run(
              BoundStatement.query(
                  "look for changed rules", lookForVersion, row -> row.getLong(1)))) {
        look.found(session, version);
      }
    }

    @Override
    public Look begin() {
      int history = registry.history();
      long at = now();
      return (session, version) -> {
        source.follow(session, version);
        // Else another thread has read later ones meanwhile.
        if (source.version() == version) {
          saw(history, at);
        }
      };
    }
  }
}
