package dev.rota.limits.internal.why;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.BriefLook;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.limits.LiveShares;
import dev.rota.limits.LiveShares.Backlog;
import dev.rota.limits.LiveShares.Handlers;
import dev.rota.limits.LiveShares.Share;
import dev.rota.limits.LiveShares.TenantShare;
import dev.rota.limits.Reason;
import dev.rota.limits.internal.why.LiveSample.Mark;
import dev.rota.limits.internal.why.LiveSample.Measured;
import dev.rota.limits.internal.why.LiveSample.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jooq.Name;

/** Reads the live shares of all tenants. Thread-safe. */
public final class TopReader {

  private static final Sql NAME_TENANTS = Sql.named("name_tenants");
  private static final Sql COUNT_ALIVE = Sql.named("count_processes_alive");
  private static final Sql FIND_OLDEST_PENDING = Sql.named("find_oldest_pending");

  private static final String MEASURE = "measure shares";
  private static final int MOST_TRIES = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(2);
  private static final Duration ONE_TENANT = Duration.ofMillis(50);
  private static final Duration ALL_TENANTS = Duration.ofMillis(500);

  private final Database database;
  private final Database impatient;
  private final RegistryTables tables;
  private final Supplier<RuleReading> rules;
  private final LiveSample sample;

  /** Creates the reader of one database, with the rules for each call. */
  public TopReader(Database database, RegistryTables tables, Supplier<RuleReading> rules) {
    this.database = database.withLockTimeout(LOCK_PATIENCE).forReading(PATIENCE);
    this.impatient = database.withLockTimeout(ONE_TENANT).forReading(ONE_TENANT);
    this.tables = tables;
    this.rules = rules;
    this.sample = new LiveSample(this.database, tables);
  }

  /**
   * The tenants at one moment, by their numbers.
   *
   * @param shares their shares of the handlers
   * @param heldBack what holds them back
   */
  record Standing(
      Measured measured,
      int workers,
      Map<Integer, Share> shares,
      Map<Integer, Set<Reason.Code>> heldBack) {

    /** The share of one of its tenants. */
    Share share(int tenant) {
      return Objects.requireNonNull(shares.get(tenant));
    }

    private Use use(int tenant) {
      return Objects.requireNonNull(measured.tenants().get(tenant));
    }

    /** The handlers that all tenants use. */
    double busy() {
      return shares.values().stream().mapToDouble(Share::handlers).sum();
    }

    /** Whether a tenant wants more handlers than it has. */
    boolean wantsMore(int tenant) {
      Use use = measured.tenants().get(tenant);
      return use != null && use.pending() > 0 && !heldBack.containsKey(tenant);
    }
  }

  /** Measures over a window, which the call takes, and returns so many tenants at most. */
  public LiveShares read(Duration window, int most) {
    Standing standing = measure(window, rules.get());
    List<Integer> order =
        standing.shares.keySet().stream().sorted(byUse(standing)).limit(most).toList();
    Map<Integer, String> names =
        database.transaction("name tenants", session -> names(session, order));
    List<TenantShare> shown = new ArrayList<>();
    long deadline = System.nanoTime() + ALL_TENANTS.toNanos();
    for (int tenant : order) {
      String name = names.get(tenant);
      if (name != null) {
        Use use = standing.use(tenant);
        Optional<Duration> oldest =
            System.nanoTime() < deadline ? oldest(use.slots()) : Optional.empty();
        shown.add(
            new TenantShare(
                name,
                standing.share(tenant),
                new Backlog(use.running(), use.pending(), oldest),
                standing.heldBack.getOrDefault(tenant, Set.of())));
      }
    }
    return new LiveShares(
        Instant.EPOCH.plus(standing.measured.at(), ChronoUnit.MICROS),
        Duration.of(standing.measured.window(), ChronoUnit.MICROS),
        new Handlers(standing.workers, standing.busy()),
        shown,
        standing.shares.size() - order.size());
  }

  private static Comparator<Integer> byUse(Standing standing) {
    return Comparator.comparingDouble((Integer tenant) -> -standing.share(tenant).handlers())
        .thenComparingLong(tenant -> -standing.use(tenant).pending())
        .thenComparingInt(tenant -> tenant);
  }

  /** Measures over a window, by these rules. */
  Standing measure(Duration window, RuleReading reading) {
    Mark mark = sample.mark();
    LiveSample.pass(window);
    return measureSince(mark, reading);
  }

  /** Measures, and again if a segment of the ledger was dropped meanwhile. */
  private Standing measureSince(Mark mark, RuleReading reading) {
    for (int tries = 1; ; tries++) {
      try {
        return database.tryTransaction(MEASURE, session -> measure(session, mark, reading));
      } catch (SQLException e) {
        if (!SqlErrors.isMissingTable(e) || tries == MOST_TRIES) {
          throw SqlErrors.translate(MEASURE, e);
        }
      }
    }
  }

  private Standing measure(Session session, Mark mark, RuleReading reading) throws SQLException {
    Measured measured = sample.since(session, mark);
    Map<Integer, Set<Reason.Code>> heldBack = heldBack(session, waiting(measured), reading);
    Standing standing = new Standing(measured, workers(session), new HashMap<>(), heldBack);
    standing.shares.putAll(shares(standing, reading.ranks(session)));
    return standing;
  }

  private static Set<Integer> waiting(Measured measured) {
    Set<Integer> waiting = new HashSet<>();
    measured
        .tenants()
        .forEach(
            (tenant, use) -> {
              if (use.pending() > 0) {
                waiting.add(tenant);
              }
            });
    return waiting;
  }

  private static Map<Integer, Set<Reason.Code>> heldBack(
      Session session, Collection<Integer> tenants, RuleReading reading) throws SQLException {
    Map<Integer, Set<Reason.Code>> heldBack = new HashMap<>();
    for (ReasonSource source : reading.sources()) {
      source
          .heldBack(session, tenants)
          .forEach(
              (tenant, codes) ->
                  heldBack.computeIfAbsent(tenant, unused -> new HashSet<>()).addAll(codes));
    }
    heldBack.values().removeIf(Set::isEmpty);
    return heldBack;
  }

  private int workers(Session session) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_ALIVE.call(),
                COUNT_ALIVE.on("workers", tables.workers()),
                row -> row.getInt(1)))
        .get(0);
  }

  private static Map<Integer, Share> shares(Standing standing, FairShares.Ranks ranks) {
    Measured measured = standing.measured;
    List<FairShares.Want> wants = new ArrayList<>();
    measured
        .tenants()
        .forEach(
            (tenant, use) ->
                wants.add(
                    new FairShares.Want(
                        tenant,
                        ranks.weight(tenant),
                        ranks.tier(tenant),
                        use.micros() / measured.window(),
                        standing.wantsMore(tenant))));
    Map<Integer, Double> due = FairShares.of(wants);
    double busy = Math.max(1e-9, wants.stream().mapToDouble(FairShares.Want::uses).sum());
    Map<Integer, Share> shares = new HashMap<>();
    for (FairShares.Want want : wants) {
      shares.put(
          want.tenant(),
          new Share(
              want.uses(),
              want.uses() / busy,
              due.getOrDefault(want.tenant(), 0.0) / busy,
              want.weight(),
              want.tier()));
    }
    return shares;
  }

  private Map<Integer, String> names(Session session, List<Integer> tenants) throws SQLException {
    Map<Integer, String> names = new HashMap<>();
    session.run(
        BoundStatement.query(
            NAME_TENANTS.call(),
            NAME_TENANTS.on("tenants", tables.tenants()),
            row -> names.put(row.getInt(1), row.getString(2)) == null,
            (Object) tenants.stream().mapToInt(Integer::intValue).toArray()));
    return names;
  }

  /**
   * The age of about the oldest task of some slots; none if a lock or many dead rows are before.
   */
  private Optional<Duration> oldest(List<Name> slots) {
    if (slots.isEmpty()) {
      return Optional.empty();
    }
    return BriefLook.at(impatient, "look for the oldest task", session -> oldest(session, slots))
        .flatMap(oldest -> oldest);
  }

  private static Optional<Duration> oldest(Session session, List<Name> slots) throws SQLException {
    List<BoundStatement<List<Double>>> looks = new ArrayList<>();
    for (Name slot : slots) {
      looks.add(
          BoundStatement.query(
              FIND_OLDEST_PENDING.call(),
              FIND_OLDEST_PENDING.on("table", slot),
              row -> row.getDouble(1)));
    }
    return session.runAll(looks).stream()
        .map(rows -> rows.get(0))
        .filter(seconds -> seconds > 0)
        .max(Comparator.naturalOrder())
        .map(seconds -> Duration.ofMillis((long) (seconds * 1e3)));
  }
}
