package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.limits.Breaker;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests how many attempts an outage burns while a kind has a breaker, and how soon it is over. */
@RotaTest
@Tag("exhaustive")
class BreakerOutageTest {

  private static final Scope KIND = Scope.kind("k");
  private static final int PROCESSES = 2;
  private static final int HANDLERS = 16;
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  /** Counts the pauses that breakers write. */
  private static final String LOG =
      """
      create table trip (at timestamptz default clock_timestamp());
      create function logged() returns trigger language plpgsql as
        $$ begin insert into trip default values; return null; end $$;
      create trigger logged after insert or update on rota.kind_pause
        for each row execute function logged()""";

  private final AtomicInteger failed = new AtomicInteger();
  private final List<Worker> workers = new ArrayList<>();
  private volatile boolean down = true;
  private long ended;
  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @BeforeEach
  void count() throws SQLException {
    fixture.execute(LOG);
    fixture.daemon(settings -> settings);
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  @Test
  void itIsTriedAndLetThroughOnceItIsBack() throws SQLException {
    Breaker breaker = Breaker.at(0.5).of(10).pauseFor(Duration.ofMillis(500)).probes(2);
    begin(3_000, breaker);
    Await.until("tried", () -> trips() >= 2);
    restart();
    Await.until("tried again", () -> trips() >= 4);
    end(3_000, breaker);
  }

  /** The marks of the guide: an outage of a minute while 50,000 tasks wait. */
  @Test
  @Tag("long")
  void anOutageOfAMinuteBurnsFewAttempts() throws SQLException {
    long begun = System.nanoTime();
    Breaker breaker = Breaker.at(0.5).of(20).pauseFor(Duration.ofSeconds(30)).probes(3);
    begin(50_000, breaker);
    Await.until("a minute", Await.LONG, () -> System.nanoTime() - begun > MINUTE);
    end(50_000, breaker);
  }

  private void begin(int tasks, Breaker breaker) {
    fixture.rota().controls().changeLimits(KIND, limits -> limits.breaker(breaker));
    acme.enqueueAll(DaemonFixture.tasks("k", tasks));
    startWorkers();
  }

  private void startWorkers() {
    for (int i = 0; i < PROCESSES; i++) {
      workers.add(fixture.another().worker().concurrency(HANDLERS).handle("k", this::run).start());
    }
  }

  private void run(Task task) {
    if (down) {
      failed.incrementAndGet();
      throw new IllegalStateException("the service is down");
    }
  }

  /** Replaces all workers, while the kind is paused or tried. */
  private void restart() {
    workers.forEach(Worker::close);
    ended = done();
    workers.clear();
    startWorkers();
  }

  private void end(int tasks, Breaker breaker) throws SQLException {
    down = false;
    long back = System.nanoTime();
    Await.until("all done", Await.LONG, () -> done() + ended, tasks);
    Duration took = Duration.ofNanos(System.nanoTime() - back);
    long tries = trips() - 1;
    long most = breaker.minimum() + PROCESSES * HANDLERS + tries * breaker.probes();
    System.out.printf(
        "attempts burnt %d of at most %d, tries %d, all done %d ms after it was back%n",
        failed.get(), most, tries, took.toMillis());
    assertThat(failed.longValue()).isBetween((long) breaker.minimum(), most);
    assertThat(took).isLessThan(breaker.pause().plusSeconds(5));
    assertThat(workers).allMatch(worker -> worker.statistics().dead() == 0);
    Await.until("closed", () -> fixture.number("select count(*) from rota.kind_pause"), 0);
  }

  private long done() {
    return workers.stream().mapToLong(worker -> worker.statistics().done()).sum();
  }

  private long trips() throws SQLException {
    return fixture.number("select count(*) from trip");
  }
}
