package dev.rota.limits.internal.why;

import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Explanation;
import dev.rota.limits.Explanation.Tasks;
import dev.rota.limits.LiveShares.Share;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.internal.why.Subject.Backlog;
import dev.rota.limits.internal.why.TopReader.Standing;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells why tasks of a tenant do not begin: asks all sources of reasons. Thread-safe. */
public final class Explainer {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(2);
  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** Where fewer handlers are busy, no tenant waits for another. */
  private static final double LEAST_BUSY = 0.05;

  private final Database database;
  private final SubjectReader subjects;
  private final StateReasons states;
  private final Supplier<RuleReading> rules;
  private final List<ReasonSource> lasting;
  private final TopReader top;

  /**
   * Creates an explainer.
   *
   * @param rules the rules for each call
   * @param top measures shares where only other tenants hold tasks back
   */
  public Explainer(
      Database database,
      RegistryTables tables,
      int lockNamespace,
      Supplier<RuleReading> rules,
      TopReader top) {
    this.database = database.withLockTimeout(LOCK_PATIENCE).forReading(PATIENCE);
    this.subjects = new SubjectReader(this.database, tables);
    this.states = new StateReasons(tables);
    this.top = top;
    this.rules = rules;
    this.lasting = List.of(new BacklogReasons(tables, lockNamespace), new WorkerReasons(tables));
  }

  /** What the database has, before shares are measured. */
  private record Found(Subject subject, List<Reason> reasons) {}

  /**
   * Explains why no task begins, of one kind if it is not null.
   *
   * @param withShare whether it measures the share of the tenant, if nothing else holds all tasks
   */
  public Explanation explain(String tenant, @Nullable String kind, boolean withShare) {
    if (TaskValidator.indexOfUnstorable(tenant) >= 0) {
      Reason unknown =
          new Reason(
              Code.UNKNOWN_TENANT,
              true,
              "no tenant can be named '" + SafeText.of(tenant) + "'",
              Map.of());
      return unknown(tenant, kind, unknown);
    }
    RuleReading reading = rules.get();
    return subjects
        .read(tenant, kind)
        .map(subject -> found(subject, reading))
        .map(found -> withShare ? withShare(found, reading) : found)
        .map(found -> explanation(found, kind))
        .orElseGet(() -> unknown(tenant, kind));
  }

  private Explanation unknown(String tenant, @Nullable String kind) {
    Reason reason =
        database.transaction("look for a tenant", session -> states.unknown(session, tenant));
    return unknown(tenant, kind, reason);
  }

  private static Explanation unknown(String tenant, @Nullable String kind, Reason reason) {
    Tasks none = new Tasks(0, 0, 0, Optional.empty(), true);
    return new Explanation(tenant, Optional.ofNullable(kind), none, List.of(reason));
  }

  private Found found(Subject subject, RuleReading reading) {
    return new Found(
        subject,
        database.transaction(
            "explain why tasks do not begin", session -> reasons(session, subject, reading)));
  }

  private List<Reason> reasons(Session session, Subject subject, RuleReading reading)
      throws SQLException {
    List<ReasonSource> sources = new ArrayList<>(List.of(states));
    sources.addAll(reading.sources());
    sources.addAll(lasting);
    List<Reason> reasons = new ArrayList<>();
    for (ReasonSource source : sources) {
      reasons.addAll(source.reasons(session, subject));
    }
    return reasons;
  }

  private static Explanation explanation(Found found, @Nullable String kind) {
    Backlog backlog = found.subject.backlog();
    Tasks tasks =
        new Tasks(
            backlog.pending(),
            backlog.delayed().tasks() + backlog.others().blocked(),
            backlog.others().running(),
            backlog.oldest(),
            backlog.exact());
    List<Reason> reasons =
        found.reasons.stream().sorted(Comparator.comparing(reason -> !reason.holdsAll())).toList();
    return new Explanation(
        found.subject.tenant().name(), Optional.ofNullable(kind), tasks, reasons);
  }

  /** Adds the share, if nothing else holds all tasks. */
  private Found withShare(Found found, RuleReading reading) {
    if (found.reasons.stream().anyMatch(Reason::holdsAll)) {
      return found;
    }
    int tenant = found.subject.tenant().number();
    Standing standing = top.measure(WINDOW, reading);
    share(standing, tenant).ifPresent(found.reasons::add);
    return found;
  }

  /** The share of a tenant, if others want handlers too. */
  private static Optional<Reason> share(Standing standing, int tenant) {
    Share own = standing.shares().get(tenant);
    if (own == null || !standing.wantsMore(tenant) || standing.busy() < LEAST_BUSY) {
      return Optional.empty();
    }
    List<Integer> others =
        standing.shares().keySet().stream()
            .filter(other -> other != tenant && standing.wantsMore(other))
            .toList();
    if (others.isEmpty()) {
      return Optional.empty();
    }
    long higher =
        others.stream().filter(other -> standing.share(other).tier() > own.tier()).count();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("is", own.is());
    data.put("due", own.due());
    data.put("handlers", standing.busy());
    data.put("weight", own.weight());
    data.put("tier", own.tier());
    data.put("tenantsThatWait", others.size() + 1L);
    data.put("ofHigherTiers", higher);
    return Optional.of(
        new Reason(Code.SHARE, false, text(own, standing.busy(), others.size(), higher), data));
  }

  private static String text(Share own, double busy, long others, long higher) {
    String text =
        "it has %s of %s busy handlers, and %s are due by weight %s and tier %d beside %s with pending tasks"
            .formatted(
                ReasonText.percent(own.is()),
                ReasonText.number(busy),
                ReasonText.percent(own.due()),
                own.weight(),
                own.tier(),
                ReasonText.count(others, "other tenant"));
    return higher == 0 ? text : text + ", " + higher + " of a higher tier";
  }
}
