package dev.rota.limits;

import dev.rota.internal.text.SafeText;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tasks to which a rule applies. Immutable and thread-safe; two scopes of the same tasks are
 * equal.
 *
 * <p>The texts are {@code all}, {@code kind:K}, {@code plan:P}, {@code plan:P/kind:K}, {@code
 * tenant:T}, {@code tenant:T/kind:K} and {@code tenant:T/priority:N}.
 */
public final class Scope {

  private static final String FORMS =
      "all, kind:K, plan:P, plan:P/kind:K, tenant:T, tenant:T/kind:K or tenant:T/priority:N";
  private static final String ALL = "all";
  private static final String KIND = "kind:";
  private static final String PLAN = "plan:";
  private static final String TENANT = "tenant:";
  private static final String PRIORITY = "priority:";
  private static final Pattern KINDS = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");
  private static final Pattern PLANS = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern PART =
      Pattern.compile("(.*?)/(?:kind:(.*)|priority:(.*))", Pattern.DOTALL);
  private static final int HIGHEST_PRIORITY = 1_000;
  private static final int LONGEST_NAME = 200;

  private static final Scope EVERYTHING = new Scope(null, null, null, null);

  private final @Nullable String tenant;
  private final @Nullable String plan;
  private final @Nullable String kind;
  private final @Nullable Integer priority;

  private Scope(
      @Nullable String tenant,
      @Nullable String plan,
      @Nullable String kind,
      @Nullable Integer priority) {
    this.tenant = tenant;
    this.plan = plan;
    this.kind = kind;
    this.priority = priority;
  }

  /**
   * All tasks of all tenants.
   *
   * @return the scope
   */
  public static Scope everything() {
    return EVERYTHING;
  }

  /**
   * The tasks of a kind, of all tenants together.
   *
   * @param kind 1 to 128 characters out of {@code A-Z a-z 0-9 . _ : / -}
   * @return the scope
   * @throws IllegalArgumentException if the kind is malformed
   */
  public static Scope kind(String kind) {
    return EVERYTHING.ofKind(kind);
  }

  /**
   * The tenants of a plan. A rule holds for each of them by itself; a tenant's own rule replaces
   * it.
   *
   * @param plan 1 to 64 characters out of {@code A-Z a-z 0-9 . _ -}; {@code default} is the plan of
   *     tenants that were given none
   * @return the scope
   * @throws IllegalArgumentException if the name is malformed
   */
  public static Scope plan(String plan) {
    return new Scope(null, checkPlan(plan), null, null);
  }

  /** Checks the name of a plan, and returns it. */
  static String checkPlan(String plan) {
    return fitting(PLANS, plan, "plan", "1 to 64 characters out of A-Z a-z 0-9 . _ -");
  }

  /**
   * One tenant.
   *
   * @param tenant the name of the tenant; it is looked up when the scope is used
   * @return the scope
   * @throws IllegalArgumentException if no tenant can have the name
   */
  public static Scope tenant(String tenant) {
    int length = tenant.codePointCount(0, tenant.length());
    if (length < 1 || length > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "tenant has " + length + " characters; a name has 1 to " + LONGEST_NAME);
    }
    return new Scope(tenant, null, null, null);
  }

  /**
   * The tasks of a kind in this scope.
   *
   * @param ownKind as {@link #kind}
   * @return the narrower scope
   * @throws IllegalArgumentException if the kind is malformed
   * @throws IllegalStateException if the scope has a kind or a priority
   */
  public Scope ofKind(String ownKind) {
    requireWide("kind");
    fitting(KINDS, ownKind, "kind", "1 to 128 characters out of A-Z a-z 0-9 . _ : / -");
    return new Scope(tenant, plan, ownKind, null);
  }

  /**
   * The tasks of a priority of this tenant; they can be paused.
   *
   * @param ownPriority -1,000 to 1,000
   * @return the narrower scope
   * @throws IllegalArgumentException if the priority is out of range
   * @throws IllegalStateException if the scope is not a whole tenant
   */
  public Scope ofPriority(int ownPriority) {
    requireWide("priority");
    if (tenant == null) {
      throw new IllegalStateException("scope " + this + " is not a tenant, and has no priorities");
    }
    if (Math.abs((long) ownPriority) > HIGHEST_PRIORITY) {
      throw new IllegalArgumentException(
          "priority is " + ownPriority + "; it must be -1000 to 1000");
    }
    return new Scope(tenant, null, null, ownPriority);
  }

  private void requireWide(String part) {
    if (kind != null || priority != null) {
      throw new IllegalStateException("scope " + this + " takes no " + part + " besides its own");
    }
  }

  private static String fitting(Pattern pattern, String text, String what, String expected) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException(
          what + " is '" + SafeText.of(text) + "'; it takes " + expected);
    }
    return text;
  }

  /**
   * Reads the text of a scope. Within the name of a tenant, {@code %2F} stands for {@code /} and
   * {@code %25} for {@code %}. It is needed only for a name that contains such a text itself, or
   * {@code /kind:} or {@code /priority:}.
   *
   * @param text in one of the forms that the class lists
   * @return the scope
   * @throws IllegalArgumentException if the text has no such form; the message lists them
   */
  public static Scope parse(String text) {
    Matcher part = PART.matcher(text);
    boolean hasPart = (text.startsWith(TENANT) || text.startsWith(PLAN)) && part.matches();
    Scope whole = parseWhole(hasPart ? part.group(1) : text, text);
    if (!hasPart) {
      return whole;
    }
    String ownKind = part.group(2);
    if (ownKind == null && whole.tenant == null) {
      throw unknown(text);
    }
    return ownKind == null ? whole.ofPriority(number(part.group(3))) : whole.ofKind(ownKind);
  }

  private static Scope parseWhole(String whole, String text) {
    if (whole.equals(ALL)) {
      return EVERYTHING;
    } else if (whole.startsWith(KIND)) {
      return kind(whole.substring(KIND.length()));
    } else if (whole.startsWith(PLAN)) {
      return plan(whole.substring(PLAN.length()));
    } else if (whole.startsWith(TENANT)) {
      return tenant(whole.substring(TENANT.length()).replace("%2F", "/").replace("%25", "%"));
    }
    throw unknown(text);
  }

  private static int number(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "priority is " + SafeText.of(digits) + "; it must be -1000 to 1000", e);
    }
  }

  private static IllegalArgumentException unknown(String text) {
    return new IllegalArgumentException(
        "scope is '" + SafeText.of(text) + "'; it must be " + FORMS);
  }

  /**
   * The name of the tenant.
   *
   * @return the name, or empty if the scope is not of one tenant
   */
  public Optional<String> tenant() {
    return Optional.ofNullable(tenant);
  }

  /**
   * The plan.
   *
   * @return the name, or empty if the scope is not of a plan
   */
  public Optional<String> plan() {
    return Optional.ofNullable(plan);
  }

  /**
   * The kind.
   *
   * @return the kind, or empty if the scope has tasks of every kind
   */
  public Optional<String> kind() {
    return Optional.ofNullable(kind);
  }

  /**
   * The priority.
   *
   * @return the priority, or empty if the scope has tasks of every priority
   */
  public OptionalInt priority() {
    return priority == null ? OptionalInt.empty() : OptionalInt.of(priority);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Scope scope
        && Objects.equals(tenant, scope.tenant)
        && Objects.equals(plan, scope.plan)
        && Objects.equals(kind, scope.kind)
        && Objects.equals(priority, scope.priority);
  }

  @Override
  public int hashCode() {
    return Objects.hash(tenant, plan, kind, priority);
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    String whole = tenant != null ? TENANT + escaped(tenant) : plan != null ? PLAN + plan : "";
    String part = kind != null ? KIND + kind : priority != null ? PRIORITY + priority : "";
    if (whole.isEmpty()) {
      return part.isEmpty() ? ALL : part;
    }
    return part.isEmpty() ? whole : whole + "/" + part;
  }

  private static String escaped(String name) {
    boolean ambiguous = PART.matcher(name).matches();
    if (!ambiguous && !name.contains("%2F") && !name.contains("%25")) {
      return name;
    }
    String plain = name.replace("%", "%25");
    return ambiguous ? plain.replace("/", "%2F") : plain;
  }
}
