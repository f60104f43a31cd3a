package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures how much of each cap is used while tasks wait for it, over several processes. {@code
 * -Drota.caps.processes}, {@code .tenants} and {@code .kinds} set how many there are, {@code .idle}
 * how many more tenants have no tasks, {@code .ofTenant} the cap of a tenant, and {@code .warm} the
 * seconds before the measurement.
 */
@RotaTest
@Tag("long")
class CapUseTest {

  private static final int PROCESSES = Integer.getInteger("rota.caps.processes", 4);
  private static final int TENANTS = Integer.getInteger("rota.caps.tenants", 8);
  private static final int KINDS = Integer.getInteger("rota.caps.kinds", 1);
  private static final int IDLE = Integer.getInteger("rota.caps.idle", 0);
  private static final int OF_TENANT = Integer.getInteger("rota.caps.ofTenant", 3);
  private static final int OF_KIND = 5;
  private static final int HANDLERS = 16;
  private static final String SCARCE = "scarce-";
  private static final double LEAST_USE = 0.97;
  private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long WARM_NANOS =
      TimeUnit.SECONDS.toNanos(Integer.getInteger("rota.caps.warm", 5));
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Map<String, AtomicLong> ranNanos = new ConcurrentHashMap<>();
  @Given private RotaFixture fixture;

  @Test
  void capsAreUsedWhileTasksWait() {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.plan("default").ofKind("k"), limits -> limits.concurrency(OF_TENANT));
    for (String kind : scarceKinds()) {
      fixture
          .rota()
          .controls()
          .changeLimits(Scope.kind(kind), limits -> limits.concurrency(OF_KIND));
    }
    for (int i = 0; i < TENANTS; i++) {
      Tenant tenant = fixture.tenant("tenant " + i);
      for (String kind : scarceKinds()) {
        tenant.enqueueAll(Collections.nCopies(24_000 / TENANTS, NewTask.of(kind, "{}")));
      }
      tenant.enqueueAll(Collections.nCopies(6_000, NewTask.of("k", "{}")));
    }
    for (int i = 0; i < IDLE; i++) {
      fixture.tenant("idle tenant " + i);
    }
    List<Worker> workers = start(2 * (TENANTS * OF_TENANT + KINDS * OF_KIND) / PROCESSES);
    try {
      Map<String, Double> use = measured(() -> ranNanos.size() == TENANTS + KINDS);
      assertThat(use.values()).allMatch(part -> part >= LEAST_USE);
    } finally {
      workers.forEach(Worker::close);
    }
  }

  /** Each task needs a slot of its tenant and one of its kind, and both are short. */
  @Test
  void ofTwoShortCapsTheShorterOneIsUsed() {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.plan("default"), limits -> limits.concurrency(OF_TENANT));
    String kind = scarceKinds().get(0);
    fixture.rota().controls().changeLimits(Scope.kind(kind), limits -> limits.concurrency(OF_KIND));
    for (int i = 0; i < TENANTS; i++) {
      fixture
          .tenant("tenant " + i)
          .enqueueAll(Collections.nCopies(24_000 / TENANTS, NewTask.of(kind, "{}")));
    }
    List<Worker> workers = start(HANDLERS);
    try {
      Map<String, Double> use = measured(() -> !ranNanos.isEmpty());
      assertThat(use.get(kind)).isGreaterThanOrEqualTo(LEAST_USE);
    } finally {
      workers.forEach(Worker::close);
    }
  }

  private Map<String, Double> measured(Await.Condition<RuntimeException> allRun) {
    Await.until("all run", allRun);
    long warm = System.nanoTime();
    Await.until("warm", () -> System.nanoTime() - warm > WARM_NANOS);
    ranNanos.values().forEach(nanos -> nanos.set(0));
    long begun = System.nanoTime();
    Await.until("measured", () -> System.nanoTime() - begun > WINDOW_NANOS);
    double window = System.nanoTime() - begun;
    Map<String, Double> use = new TreeMap<>();
    ranNanos.forEach((scope, nanos) -> use.put(scope, nanos.get() / window / capOf(scope)));
    System.out.println("least use of a cap: " + Collections.min(use.values()) + " of " + use);
    return use;
  }

  private static int capOf(String scope) {
    return scope.startsWith(SCARCE) ? OF_KIND : OF_TENANT;
  }

  private static List<String> scarceKinds() {
    return IntStream.range(0, KINDS).mapToObj(i -> SCARCE + i).toList();
  }

  private List<Worker> start(int handlers) {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      Worker.Builder worker =
          fixture.another().worker().concurrency(handlers).handle("k", this::run);
      for (String kind : scarceKinds()) {
        worker = worker.handle(kind, this::run);
      }
      workers.add(worker.start());
    }
    return workers;
  }

  private void run(Task task) {
    long begun = System.nanoTime();
    LockSupport.parkNanos(TASK_NANOS);
    long ran = System.nanoTime() - begun;
    String scope = task.kind().startsWith(SCARCE) ? task.kind() : task.tenant();
    ranNanos.computeIfAbsent(scope, unused -> new AtomicLong()).addAndGet(ran);
  }
}
