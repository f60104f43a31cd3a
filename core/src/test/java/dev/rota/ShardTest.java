package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.internal.RotaBuilder;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that workers with shards visit a part of the tenants each. Rows in the table of workers
 * stand for other processes, which run nothing.
 */
@RotaTest
@PostgresVersions({15, 18})
class ShardTest {

  private static final int TENANTS = 24;
  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Duration LOOKS = Duration.ofMillis(10);

  /** Also how often workers look who has shards, and which tasks wait. */
  private static final Duration REFRESH = Duration.ofMillis(100);

  private final Map<String, Set<String>> ran = new ConcurrentHashMap<>();
  private final Faults faults = new Faults();
  private final AtomicLong clock = new AtomicLong();
  @Given private RotaFixture fixture;
  private final List<Tenant> tenants = new ArrayList<>();

  @BeforeEach
  void registerTenants() {
    for (int i = 0; i < TENANTS; i++) {
      tenants.add(fixture.tenant("t" + i));
    }
  }

  @Test
  @Tag("exhaustive")
  void eachTenantHasSoManyOfTheWorkers() throws Exception {
    List<String> names = List.of("a", "b", "c", "d");
    Map<String, Faults> looks = new HashMap<>();
    List<Worker> workers = new ArrayList<>();
    for (String name : names) {
      looks.put(name, new Faults());
      workers.add(start(clocked(looks.get(name)), name, worker -> worker.shards(2)));
    }
    Await.until("all are registered", this::registered, 4);
    for (Faults script : looks.values()) {
      script.awaitMore("list sharded workers", 2);
    }
    for (int round = 1; round <= 6; round++) {
      tenants.forEach(tenant -> tenant.enqueue(MAIL));
      long all = round * (long) TENANTS;
      Await.until(
          "all run",
          () -> workers.stream().mapToLong(worker -> worker.statistics().done()).sum(),
          all);
    }
    workers.forEach(Worker::close);
    Set<Set<String>> pairs = new HashSet<>();
    for (Tenant tenant : tenants) {
      Set<String> its = new TreeSet<>(names);
      its.removeIf(name -> !ran(name).contains(tenant.name()));
      assertThat(its).as("workers of " + tenant.name()).hasSizeBetween(1, 2);
      pairs.add(its);
    }
    assertThat(pairs).as("combinations").hasSizeGreaterThan(3);
    assertThat(ran.keySet()).as("each has tenants").containsExactlyInAnyOrderElementsOf(names);
    Await.until("they leave", this::registered, 0);
  }

  /** The lease of the other process ends: its tenants move with the next look. */
  @Test
  @Tag("exhaustive")
  void theTenantsOfADeadWorkerMove() throws Exception {
    other(7, "null");
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    try (Worker worker = start(clocked(faults), "a", one -> one.shards(1))) {
      long own = settled(worker);
      assertThat(own).isBetween(1L, TENANTS - 1L);
      fixture.execute("update rota.worker set heartbeat_at = now() - lease where id = 7");
      Await.until("it takes them", () -> worker.statistics().done(), TENANTS);
      fixture.execute("update rota.worker set heartbeat_at = now() where id = 7");
      faults.awaitMore("list sharded workers", 2);
      tenants.forEach(tenant -> tenant.enqueue(MAIL));
      assertThat(settled(worker)).as("it gives them back").isEqualTo(TENANTS + own);
    }
  }

  @Test
  @Tag("exhaustive")
  void othersHelpOnceTasksHaveWaited() throws Exception {
    other(7, "null");
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    enqueuedAt("now() + interval '1 h'");
    try (Worker worker = start(clocked(faults), "a", one -> one.shards(1))) {
      long own = settled(worker);
      assertThat(own).isLessThan(TENANTS);
      faults.awaitMore("estimate backlogs", 2);
      pass(Duration.ofSeconds(10));
      faults.awaitMore("estimate backlogs", 3);
      assertThat(worker.statistics().done()).as("counters alone may be late").isEqualTo(own);
      enqueuedAt("now() - interval '11 s'");
      pass(Duration.ofSeconds(9));
      faults.awaitMore("estimate backlogs", 3);
      assertThat(worker.statistics().done()).as("not yet").isEqualTo(own);
      pass(Duration.ofSeconds(1));
      Await.until("it helps", () -> worker.statistics().done(), TENANTS);
      Await.until("the counters show that", this::counted, 0);
      faults.awaitMore("estimate backlogs", 2);
      tenants.forEach(tenant -> tenant.enqueue(MAIL));
      assertThat(settled(worker)).as("they wait no more").isEqualTo(TENANTS + own);
    }
  }

  /** Where another session locks its tables, the counters alone decide. */
  @Test
  @Tag("exhaustive")
  void aTenantThatCannotBeLookedAtIsHelped() throws Exception {
    other(7, "null");
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    enqueuedAt("now() + interval '1 h'");
    try (Worker worker = start(clocked(faults), "a", one -> one.shards(1))) {
      long own = settled(worker);
      Tenant others =
          tenants.stream().filter(one -> !ran("a").contains(one.name())).findAny().orElseThrow();
      try (Connection locker = fixture.begin()) {
        for (String slot : slots("rota_" + others.number())) {
          RotaFixture.execute(locker, "lock table " + slot + " in access exclusive mode");
        }
        pass(Duration.ofSeconds(10));
        faults.awaitMore("estimate backlogs", 3);
        assertThat(worker.statistics().done()).isEqualTo(own);
      }
      Await.until("it helps", () -> worker.statistics().done(), own + 1);
      assertThat(ran("a")).contains(others.name());
    }
  }

  @Test
  @Tag("exhaustive")
  void tasksOfAPausedTenantDoNotCallForHelp() throws Exception {
    other(7, "null");
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    fixture.rota().controls().pause(Scope.everything(), "");
    try (Worker worker = start(clocked(faults), "a", one -> one.shards(1))) {
      faults.awaitMore("estimate backlogs", 2);
      pass(Duration.ofSeconds(10));
      faults.awaitMore("estimate backlogs", 2);
      assertThat(faults.count("look for old task")).isZero();
      assertThat(worker.statistics().claimed()).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void aWorkerWithoutShardsVisitsAll() throws Exception {
    other(7, "null");
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    try (Worker all = start(clocked(faults), "all", one -> one)) {
      Await.until("it runs all", () -> all.statistics().done(), TENANTS);
      try (Worker some = start(clocked(new Faults()), "some", one -> one.shards(1))) {
        Await.until("the other is registered", this::registered, 2);
        tenants.forEach(tenant -> tenant.enqueue(MAIL));
        Await.until(
            "both run them",
            () -> all.statistics().done() + some.statistics().done(),
            2L * TENANTS);
      }
    }
    for (String call : List.of("list sharded workers", "estimate backlogs", "register services")) {
      assertThat(faults.count(call)).as(call).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void aWorkerWithoutShardsIsChosenForNoTenant() throws SQLException {
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (7, 'other', '1 h', now(), now(), 2)");
    runsAll(worker -> worker.shards(1));
  }

  @Test
  void withFewerWorkersEachTenantHasAll() throws SQLException {
    other(7, "null");
    runsAll(worker -> worker.shards(2));
    assertThat(faults.count("estimate backlogs")).as("there is no other tenant").isZero();
  }

  @Test
  @Tag("exhaustive")
  void workersOfOtherPoolsAreNotChosen() throws Exception {
    other(7, "'{eu}'");
    runsAll(worker -> worker.shards(1));
    Scope first = Scope.tenant("t0");
    fixture.rota().controls().changeLimits(first, limits -> limits.pool("us"));
    other(8, "'{us,eu}'");
    other(9, "'{eu}'");
    Faults looks = new Faults();
    Rota process = clocked(looks);
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    try (Worker eu = start(process, "eu", worker -> worker.pools("eu").shards(1))) {
      looks.awaitMore("list sharded workers", 2);
      assertThat(eu.statistics().claimed()).as("it has no tenant").isZero();
      fixture.rota().controls().changeLimits(Scope.plan("default"), limits -> limits.pool("eu"));
      Await.atLeast("a part of the pool", () -> eu.statistics().done(), 1);
    }
    assertThat(ran("eu")).doesNotContain("t0");
  }

  @Test
  @Tag("exhaustive")
  void aWorkerThatCannotReadTheOthersTriesAgain() throws SQLException {
    other(7, "null");
    faults.before("list sharded workers").times(2).fail();
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    try (Worker worker = start(clocked(faults), "a", one -> one.shards(1))) {
      Await.atLeast("it has some", () -> worker.statistics().done(), 1);
      assertThat(faults.count("list sharded workers")).isGreaterThan(2);
    }
  }

  @Test
  @Tag("exhaustive")
  void aProcessRegistersItsShards() throws SQLException {
    Rota process = fixture.another(builder -> builder.lease(Duration.ofSeconds(1)));
    try (Worker few = start(process, "a", worker -> worker.shards(2));
        Worker many = start(process, "b", worker -> worker.shards(3).pools("eu"));
        Worker all = start(process, "c", worker -> worker)) {
      String found = "select concat_ws(' ', pools, shards) from rota.worker";
      Await.until("all are", () -> fixture.texts(found).equals(List.of("{default,eu} 3")));
      many.close();
      Await.until("one left", () -> fixture.texts(found).equals(List.of("2")));
      fixture.execute("delete from rota.worker");
      Await.until("it starts anew with them", () -> fixture.texts(found).equals(List.of("2")));
      assertThat(few.statistics().done() + all.statistics().done()).isZero();
    }
  }

  @Test
  void wrongNumbersAreRefused() {
    Worker.Builder worker = fixture.rota().worker();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> worker.shards(0))
        .withMessageContaining("shards is 0")
        .withMessageContaining("1")
        .withMessageContaining("1000");
    assertThatIllegalArgumentException().isThrownBy(() -> worker.shards(1_001));
  }

  private void runsAll(UnaryOperator<Worker.Builder> settings) throws SQLException {
    tenants.forEach(tenant -> tenant.enqueue(MAIL));
    try (Worker worker = start(clocked(faults), "a", settings)) {
      Await.until("it runs all", () -> worker.statistics().done(), TENANTS);
    }
  }

  /** The number of tasks that a worker runs of what is there, when it has looked several times. */
  private long settled(Worker worker) throws Exception {
    faults.awaitMore("list sharded workers", 2);
    faults.awaitMore("discover", 10);
    Await.until(
        "what it claimed ends", () -> worker.statistics().done() == worker.statistics().claimed());
    return worker.statistics().done();
  }

  private void other(long worker, String pools) throws SQLException {
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules, shards, pools)"
            + " values (%d, 'other', '1 h', now(), now(), 2, 1, %s)".formatted(worker, pools));
  }

  /** The pending tasks that counters of the server show, which learn of removals seconds later. */
  private long counted() throws SQLException {
    return fixture.number(
        "select coalesce(sum(pg_stat_get_live_tuples(oid)), 0) from pg_class"
            + " where relname ~ '^task_init_[0-9]+_[0-9]$' and relkind = 'r'");
  }

  private long registered() throws SQLException {
    return fixture.number("select count(*) from rota.worker where shards is not null");
  }

  private List<String> slots(String schema) throws SQLException {
    return fixture.texts(
        "select oid::regclass from pg_class where relname ~ '^task_init_[0-9]+_[0-9]$'"
            + " and relkind = 'r' and relnamespace::regnamespace::text like '"
            + schema
            + "'");
  }

  private void enqueuedAt(String time) throws SQLException {
    for (String slot : slots("%")) {
      fixture.execute("update " + slot + " set created_at = " + time);
    }
  }

  /** A process whose clock stands still but for {@link #pass}. */
  private Rota clocked(Faults script) {
    return fixture.observed(
        script, builder -> RotaBuilder.nanoTime(builder.registryRefresh(REFRESH), clock::get));
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  private Set<String> ran(String name) {
    return ran.computeIfAbsent(name, unused -> ConcurrentHashMap.newKeySet());
  }

  private Worker start(Rota rota, String name, UnaryOperator<Worker.Builder> settings) {
    return settings
        .apply(rota.worker().pollInterval(LOOKS))
        .handle("mail", task -> ran(name).add(task.tenant()))
        .start();
  }
}
