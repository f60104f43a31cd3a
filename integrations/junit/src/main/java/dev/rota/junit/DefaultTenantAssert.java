package dev.rota.junit;

import dev.rota.Tenant;
import dev.rota.internal.payload.PayloadFormat;
import dev.rota.typed.Kind;
import dev.rota.typed.internal.PayloadReader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Default implementation of {@link TenantAssert}. */
final class DefaultTenantAssert implements TenantAssert {

  /** The states of attempts that never began. */
  private static final Set<String> NOT_RUN = Set.of("pending", "waiting", "released");

  private static final int MOST_TOLD = 50;

  private final Tenant tenant;
  private final TestTasks tasks;
  private final PayloadFormat payloads;

  DefaultTenantAssert(Tenant tenant, TestTasks tasks, PayloadFormat payloads) {
    this.tenant = tenant;
    this.tasks = tasks;
    this.payloads = payloads;
  }

  @Override
  public TenantAssert hasPending(String kind) {
    return hasPending(kind, payload -> true);
  }

  @Override
  public TenantAssert hasPending(String kind, Predicate<String> payload) {
    return hasPending(kind, row -> row.kind().equals(kind) && payload.test(row.payload()), "");
  }

  @Override
  public <T> TenantAssert hasPending(Kind<T> kind, Predicate<? super T> value) {
    PayloadReader<T> reader = PayloadReader.of(kind, payloads);
    Set<String> names = names(kind);
    return hasPending(
        kind.name(),
        row -> names.contains(row.kind()) && value.test(reader.read(row.kind(), row.payload())),
        " with such a value");
  }

  private TenantAssert hasPending(String kind, Predicate<TestTasks.Row> which, String how) {
    List<TestTasks.Row> rows = rows();
    if (rows.stream().noneMatch(row -> row.isPending() && which.test(row))) {
      throw new AssertionError("expected a pending task of kind '" + kind + "'" + how + told(rows));
    }
    return this;
  }

  @Override
  public TenantAssert hasNothingPending() {
    List<TestTasks.Row> rows = rows();
    if (rows.stream().anyMatch(TestTasks.Row::isPending)) {
      throw new AssertionError("expected no pending task" + told(rows));
    }
    return this;
  }

  @Override
  public Count ran(String kind) {
    return new AttemptCount("attempts of '" + kind + "'", kind::equals, DefaultTenantAssert::isRun);
  }

  @Override
  public Count ran(Kind<?> kind) {
    return new AttemptCount(
        "attempts of '" + kind.name() + "'", names(kind)::contains, DefaultTenantAssert::isRun);
  }

  @Override
  public Count succeeded(String kind) {
    return new AttemptCount(
        "attempts of '" + kind + "' that succeed", kind::equals, "done"::equals);
  }

  @Override
  public Count succeeded(Kind<?> kind) {
    return new AttemptCount(
        "attempts of '" + kind.name() + "' that succeed", names(kind)::contains, "done"::equals);
  }

  private static boolean isRun(String state) {
    return !NOT_RUN.contains(state);
  }

  private static Set<String> names(Kind<?> kind) {
    Set<String> names = new HashSet<>(kind.formerNames());
    names.add(kind.name());
    return names;
  }

  private List<TestTasks.Row> rows() {
    return tasks.of(tenant.number());
  }

  private String told(List<TestTasks.Row> rows) {
    String all =
        rows.stream()
            .limit(MOST_TOLD)
            .map(row -> "\n  " + row)
            .collect(Collectors.joining("", "", rows.size() > MOST_TOLD ? "\n  ..." : ""));
    return ", but tenant '"
        + tenant.name()
        + "' has "
        + (rows.isEmpty() ? "no tasks" : "these:" + all);
  }

  /** Counts attempts by kind and state. */
  private final class AttemptCount implements Count {
    private final String what;
    private final Predicate<String> kind;
    private final Predicate<String> state;

    AttemptCount(String what, Predicate<String> kind, Predicate<String> state) {
      this.what = what;
      this.kind = kind;
      this.state = state;
    }

    @Override
    public TenantAssert never() {
      return times(0);
    }

    @Override
    public TenantAssert once() {
      return times(1);
    }

    @Override
    public TenantAssert times(int count) {
      List<TestTasks.Row> rows = rows();
      long found =
          rows.stream().filter(row -> kind.test(row.kind()) && state.test(row.state())).count();
      if (found != count) {
        throw new AssertionError(
            "expected " + count + " " + what + ", found " + found + told(rows));
      }
      return DefaultTenantAssert.this;
    }
  }
}
