package dev.rota.daemon.internal.leader;

import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * All tenants with the object numbers of their tables, renewed every second. It also keeps the
 * registry of this process fresh, on the leader's connection. Used by one thread.
 */
public final class TenantCatalog implements MaintenanceTask {

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /**
   * The least number of tenants whose tables are checked each time; all are checked within this
   * many times.
   */
  private static final int LEAST_CHECKED = 100;

  private static final int ROUND = 30;

  private final LeaderSession leader;
  private final TenantRegistry registry;
  private final RegistryTables tables;
  private final IntPredicate served;
  private Map<Integer, Entry> entries = new LinkedHashMap<>();
  private int edition;
  private int checked;

  /**
   * A tenant.
   *
   * @param tenant its reference; holding it keeps it in the registry's cache
   * @param slots the object numbers of the slots of all its lanes; 0 for a missing one
   * @param waiting the object number of its wait table
   */
  public record Entry(TenantRef tenant, List<Long> slots, long waiting) {

    public int number() {
      return tenant.number();
    }

    /** The numbers of all tables, with the wait table's last. */
    private List<Long> numbers() {
      List<Long> numbers = new ArrayList<>(slots);
      numbers.add(waiting);
      return numbers;
    }

    private boolean isComplete() {
      return waiting != 0 && !slots.contains(0L) && slots.size() == tenant.state().lanes().slots();
    }
  }

  public TenantCatalog(LeaderSession leader, TenantRegistry registry, RegistryTables tables) {
    this(leader, registry, tables, number -> true);
  }

  /**
   * Creates a catalog of some tenants.
   *
   * @param served whether to serve a tenant, given its number
   */
  public TenantCatalog(
      LeaderSession leader, TenantRegistry registry, RegistryTables tables, IntPredicate served) {
    this.leader = leader;
    this.registry = registry;
    this.tables = tables;
    this.served = served;
  }

  @Override
  public String name() {
    return "read the registry of tenants";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    reload();
    return Backoff.betweenLooks(INTERVAL, startedAt);
  }

  /** The names of the tables of the registry. */
  public RegistryTables tables() {
    return tables;
  }

  public Collection<Entry> all() {
    return entries.values();
  }

  /** The tenants themselves, by ascending number. */
  public List<TenantRef> tenants() {
    return entries.values().stream().map(Entry::tenant).toList();
  }

  @Nullable
  public Entry find(int number) {
    return entries.get(number);
  }

  /** Forgets a tenant that was parked; it comes back with its next tables. */
  public void forget(int number) {
    if (entries.remove(number) != null) {
      edition++;
    }
  }

  /** A number that changes when tenants come or go. */
  public int edition() {
    return edition;
  }

  /** Reads all tenants now. */
  public void reload() throws SQLException {
    try {
      leader.transaction(name(), this::reload);
    } catch (SQLException e) {
      if (SqlErrors.isMissingRegistry(e)) {
        throw SqlErrors.schemaMissing(tables.schema());
      }
      throw e;
    }
  }

  private boolean reload(Session session) throws SQLException {
    List<TenantRef> all =
        registry.loadAll(session).stream().filter(each -> served.test(each.number())).toList();
    Map<Integer, Entry> known = new LinkedHashMap<>();
    List<TenantRef> unknown = new ArrayList<>();
    Set<Integer> stale = stale(session);
    for (TenantRef tenant : all) {
      Entry entry = entries.get(tenant.number());
      if (entry != null
          && entry.tenant() == tenant
          && entry.isComplete()
          && !stale.contains(entry.number())) {
        known.put(tenant.number(), entry);
      } else {
        unknown.add(tenant);
      }
    }
    lookUp(session, unknown).forEach(entry -> known.put(entry.number(), entry));
    if (!unknown.isEmpty() || known.size() != entries.size()) {
      edition++;
    }
    entries = known;
    return true;
  }

  /**
   * Finds tenants with a table that no longer has its number in the catalog. If one is found among
   * those that are checked this time, a dump may have been restored: then all are checked.
   */
  private Set<Integer> stale(Session session) throws SQLException {
    List<Entry> all = List.copyOf(entries.values());
    int from = checked < all.size() ? checked : 0;
    int to = Math.min(all.size(), from + Math.max(LEAST_CHECKED, all.size() / ROUND));
    checked = to;
    Set<Integer> stale = stale(session, all.subList(from, to));
    return stale.isEmpty() ? stale : stale(session, all);
  }

  private static Set<Integer> stale(Session session, List<Entry> some) throws SQLException {
    Map<Long, Integer> tenants = new HashMap<>();
    List<Long> numbers = new ArrayList<>();
    List<Name> names = new ArrayList<>();
    for (Entry entry : some.stream().filter(Entry::isComplete).toList()) {
      List<Long> own = entry.numbers();
      own.forEach(number -> tenants.put(number, entry.number()));
      numbers.addAll(own);
      names.addAll(names(entry.tenant(), entry.slots().size() / TenantTables.SLOTS));
    }
    if (numbers.isEmpty()) {
      return Set.of();
    }
    long[] tables = numbers.stream().mapToLong(Long::longValue).toArray();
    return session.run(DiscoverySql.gone(tables, names)).stream()
        .map(tenants::get)
        .collect(Collectors.toSet());
  }

  /** The tables of a tenant with this number of lanes, the wait table last. */
  private static List<Name> names(TenantRef tenant, int lanes) {
    List<Name> names = new ArrayList<>();
    IntStream.range(0, lanes).forEach(lane -> names.addAll(tenant.tables().slots(lane)));
    names.add(tenant.tables().waiting());
    return names;
  }

  private static List<Entry> lookUp(Session session, List<TenantRef> tenants) throws SQLException {
    if (tenants.isEmpty()) {
      return List.of();
    }
    List<Name> names = new ArrayList<>();
    List<Integer> slots = new ArrayList<>();
    for (TenantRef tenant : tenants) {
      // Read once: another thread may add a lane to the reference.
      int lanes = tenant.state().lanes().count();
      names.addAll(names(tenant, lanes));
      slots.add(lanes * TenantTables.SLOTS);
    }
    Iterator<Long> found = DiscoverySql.oids(session, names).iterator();
    List<Entry> looked = new ArrayList<>();
    for (int i = 0; i < tenants.size(); i++) {
      List<Long> own = Stream.generate(found::next).limit(slots.get(i)).toList();
      looked.add(new Entry(tenants.get(i), own, found.next()));
    }
    return looked;
  }

  /** For log lines about several tenants. */
  public static String labels(Collection<Entry> entries) {
    return entries.stream().map(entry -> entry.tenant().label()).collect(Collectors.joining(", "));
  }
}
