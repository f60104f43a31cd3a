package dev.rota.daemon.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.Archiver;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.Schedule;
import dev.rota.testing.RewritingDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a clock of the database that is wrong for a while. The tests move it, and that of the
 * daemon's process, between the steps of a leader.
 */
@RotaTest
class WrongClockTest {

  private static final Duration YEARS = Duration.ofDays(730);
  private static final String LOOK = "look for due rotations";
  private static final String OPEN = "open segments of history";
  private static final String RETIRE = "drop old segments of history";
  private static final String TURN_OVER = "turn the ledger over";
  private static final String METER = "count the usage";
  private static final String SCHEDULES = "look for due schedules";

  @TempDir private Path folder;
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private final AtomicLong nanos = new AtomicLong();
  private Duration ahead = Duration.ZERO;
  private RewritingDataSource source;
  private Rota rota;

  @BeforeEach
  void open() {
    source = new RewritingDataSource(fixture.database().dataSource());
    rota = fixture.closeLater(RotaBuilder.nanoTime(Rota.builder(source), nanos::get).build());
  }

  /** The clock of the database alone goes forward or back. */
  private void step(Duration by) {
    ahead = ahead.plus(by);
    source.stepClock(ahead);
  }

  /** Time passes by both clocks. */
  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
    step(time);
  }

  private DaemonBuilder settings() {
    return DaemonBuilder.over(rota).rotateEvery(Duration.ofHours(1)).segmentBytes(0);
  }

  private List<MaintenanceTask> lead() throws SQLException {
    Kernel kernel = DefaultRota.kernelOf(rota);
    DaemonConfig config = settings().config();
    return new MaintenancePlan(
            leader(DaemonWatch.LEADER),
            kernel,
            DefaultRota.featuresOf(rota),
            config,
            new DaemonCounters())
        .begin();
  }

  private LeaderSession leader(int number) throws SQLException {
    Kernel kernel = DefaultRota.kernelOf(rota);
    LeaderLock lock = new LeaderLock(kernel.database(), kernel.settings().lockNamespace(), number);
    LeaderSession leader = lock.seek();
    AutoCloseable unused = fixture.<AutoCloseable>closeLater(lock::resign);
    assertThat(leader).isNotNull();
    return leader;
  }

  private static void perform(List<MaintenanceTask> tasks, String... names) throws SQLException {
    for (String name : names) {
      for (MaintenanceTask task : tasks) {
        if (task.name().equals(name)) {
          Duration unused = task.run();
        }
      }
    }
  }

  /** As often as a look, and a few pieces of work, need. */
  private static void thrice(List<MaintenanceTask> tasks, String name) throws SQLException {
    perform(tasks, name, name, name);
  }

  private void work(int tasks) {
    acme.enqueueAll(Collections.nCopies(tasks, NewTask.of("k", "{}")));
    acme.claim(tasks).settle();
  }

  private void sealTheHistory(List<MaintenanceTask> tasks) throws SQLException {
    work(3);
    fixture.execute("update rota.segment set opened_at = now() - interval '2 hours'");
    perform(tasks, LOOK, OPEN);
  }

  private long dropped() throws SQLException {
    return fixture.number("select count(dropped_at) from rota.segment");
  }

  private long count(String table) throws SQLException {
    return fixture.number("select count(*) from " + table);
  }

  @Test
  void noHistoryEndsByAClockThatIsWrongForAWhile() throws SQLException {
    List<MaintenanceTask> tasks = lead();
    sealTheHistory(tasks);
    thrice(tasks, RETIRE);
    pass(Duration.ofHours(2));
    step(YEARS);
    thrice(tasks, RETIRE);
    assertThat(dropped()).isZero();
    step(YEARS.negated());
    thrice(tasks, RETIRE);
    assertThat(dropped()).isZero();
    pass(Duration.ofDays(8));
    thrice(tasks, RETIRE);
    assertThat(dropped()).isEqualTo(1);
  }

  @Test
  void aClockThatRunsEvenlyIsTrustedAfterAnHour() throws SQLException {
    List<MaintenanceTask> tasks = lead();
    sealTheHistory(tasks);
    step(YEARS);
    thrice(tasks, RETIRE);
    pass(Duration.ofMinutes(59));
    thrice(tasks, RETIRE);
    assertThat(dropped()).isZero();
    pass(Duration.ofMinutes(2));
    thrice(tasks, RETIRE);
    assertThat(dropped()).isEqualTo(1);
  }

  /** A tenant's own time decides: a hundredth of it. */
  @Test
  void whatIsKeptForAShortTimeEndsSooner() throws SQLException {
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofMinutes(100)));
    List<MaintenanceTask> tasks = lead();
    sealTheHistory(tasks);
    step(Duration.ofHours(2));
    thrice(tasks, RETIRE);
    assertThat(dropped()).isZero();
    pass(Duration.ofMinutes(1));
    thrice(tasks, RETIRE);
    assertThat(dropped()).isEqualTo(1);
  }

  @Test
  void noArchivedObjectEndsByAClockThatIsWrongForAWhile() throws Exception {
    String expire = "delete what is archived long enough";
    Path kept = Files.createDirectories(folder.resolve("kept"));
    Archive archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(kept))
                .grace(Duration.ZERO)
                .share(1)
                .stagingFolder(folder)
                .build());
    acme.history()
        .changeRetention(
            policy ->
                policy.archive(true).keepHistory(Duration.ZERO).keepArchive(Duration.ofDays(365)));
    sealTheHistory(lead());
    Archiver archiver =
        new Archiver(
            DefaultRota.kernelOf(rota),
            settings().config(),
            DefaultArchive.of(archive),
            new DaemonCounters());
    List<MaintenanceTask> tasks = archiver.create(leader(DefaultArchive.ARCHIVERS_LOCK));
    thrice(tasks, "archive segments of history");
    thrice(tasks, "drop archived segments of history");
    assertThat(dropped()).isEqualTo(1);
    thrice(tasks, expire);
    pass(Duration.ofHours(2));
    step(YEARS);
    thrice(tasks, expire);
    step(YEARS.negated());
    thrice(tasks, expire);
    assertThat(archivedFiles(kept)).isEqualTo(1);
    pass(Duration.ofDays(366));
    thrice(tasks, expire);
    assertThat(archivedFiles(kept)).isZero();
    assertThat(count("rota.archive")).isZero();
  }

  private static long archivedFiles(Path kept) throws Exception {
    try (Stream<Path> files = Files.walk(kept)) {
      return files.filter(file -> file.toString().endsWith(".parquet")).count();
    }
  }

  @Test
  void noTimesOfBatchesEndByAClockThatIsWrongForAWhile() throws SQLException {
    List<MaintenanceTask> tasks = lead();
    work(1);
    fixture.execute("update rota.ledger_segment set opened_at = now() - interval '2 hours'");
    perform(tasks, TURN_OVER);
    pass(Duration.ofHours(1));
    perform(tasks, METER, TURN_OVER);
    step(YEARS);
    perform(tasks, TURN_OVER, TURN_OVER);
    step(YEARS.negated());
    perform(tasks, TURN_OVER, TURN_OVER);
    assertThat(count("rota.ledger_segment")).isEqualTo(2);
    pass(Duration.ofDays(2));
    perform(tasks, TURN_OVER, TURN_OVER);
    assertThat(count("rota.ledger_segment")).isEqualTo(1);
  }

  @Test
  void neitherStatisticsNorTheAuditEndByAClockThatIsWrongForAWhile() throws SQLException {
    List<MaintenanceTask> tasks = lead();
    fixture.execute(
        "insert into rota.audit (begun_at, tenant, actor, action, about)"
            + " values (now(), 1, 'joe', 'pause', '');"
            + "insert into rota.statistic"
            + " values (1, date_trunc('hour', now()), 1, 0, 0, 0, 0, 0, 0, 'k')");
    String[] forget = {"clean the registry", "forget old entries of the audit"};
    perform(tasks, forget);
    pass(Duration.ofDays(1));
    step(YEARS);
    perform(tasks, forget);
    step(YEARS.negated());
    perform(tasks, forget);
    assertThat(count("rota.audit")).isEqualTo(1);
    assertThat(count("rota.statistic")).isEqualTo(1);
    pass(YEARS);
    perform(tasks, forget);
    assertThat(count("rota.audit")).isZero();
  }

  @Test
  void schedulesRunAgainAfterAClockThatWasAhead() throws SQLException {
    NewTask task = NewTask.of("report", "{}");
    Duration hour = Duration.ofHours(1);
    acme.schedules().add(Schedule.every("plain", hour, task));
    acme.schedules().add(Schedule.cron("cron", "30 * * * *", task));
    acme.schedules().add(Schedule.every("skipping", hour, task).missed(MissedRuns.SKIP));
    acme.schedules().add(Schedule.every("paused", hour, task));
    Instant start = Instant.now().plus(Duration.ofDays(9));
    acme.schedules().add(Schedule.every("later", hour, task).startingAt(start));
    acme.schedules().add(Schedule.cron("yearly", "0 0 1 1 *", task));
    List<MaintenanceTask> tasks = lead();
    thrice(tasks, SCHEDULES);
    step(YEARS);
    thrice(tasks, SCHEDULES);
    assertThat(plannedWithin("1 hour")).isEmpty();
    acme.schedules().pause("paused");
    step(YEARS.negated());
    thrice(tasks, SCHEDULES);
    pass(Duration.ofMinutes(9));
    thrice(tasks, SCHEDULES);
    assertThat(plannedWithin("1 hour")).isEmpty();
    pass(Duration.ofMinutes(2));
    thrice(tasks, SCHEDULES);
    acme.schedules().resume("paused");
    assertThat(plannedWithin("90 minutes")).containsExactly("cron", "paused", "plain", "skipping");
    assertThat(plannedWithin("9 days 1 minute")).contains("later");
    assertThat(plannedWithin("9 days -1 minute")).doesNotContain("later");
    assertThat(plannedWithin("366 days")).contains("yearly");
  }

  /** Else it would make up for all that it ran before, once the clock is right. */
  @Test
  void schedulesDoNotFollowAClockThatIsBehindForAWhile() throws SQLException {
    acme.schedules().add(Schedule.every("hourly", Duration.ofHours(1), NewTask.of("report", "{}")));
    List<MaintenanceTask> tasks = lead();
    thrice(tasks, SCHEDULES);
    pass(Duration.ofHours(2));
    thrice(tasks, SCHEDULES);
    String planned = "select version || ' ' || planned_at from rota.schedule";
    List<String> before = fixture.texts(planned);
    step(YEARS.negated());
    thrice(tasks, SCHEDULES);
    pass(Duration.ofMinutes(9));
    thrice(tasks, SCHEDULES);
    step(YEARS);
    thrice(tasks, SCHEDULES);
    pass(Duration.ofMinutes(11));
    thrice(tasks, SCHEDULES);
    assertThat(fixture.texts(planned)).isEqualTo(before);
  }

  /** Names of schedules that are planned for that time from now on. */
  private List<String> plannedWithin(String interval) throws SQLException {
    return fixture.texts(
        "select name from rota.schedule where planned_at < now() + interval '%s' order by name"
            .formatted(interval));
  }

  /** What a clock that was a year ahead for some minutes has left. */
  @Test
  void ringsAndSegmentsTurnOverAfterAClockThatWasAhead() throws SQLException {
    acme.history().changeRetention(policy -> policy.segmentBytes(1L << 40));
    work(1);
    acme.enqueue(NewTask.of("k", "{}"));
    fixture.execute(
        "update rota.tenant set lane_rotated_at[0] = now() + interval '1 year';"
            + "update rota.segment set opened_at = now() + interval '1 year'");
    List<MaintenanceTask> tasks = lead();
    String present = "select current_slot || ' ' || current_segment from rota.tenant";
    perform(tasks, LOOK, "rotate rings", OPEN);
    assertThat(fixture.texts(present)).containsExactly("1 2");
    perform(tasks, LOOK, "rotate rings", OPEN);
    assertThat(fixture.texts(present)).as("once").containsExactly("1 2");
  }

  @Test
  void theLedgerTurnsOverAfterAClockThatWasAhead() throws SQLException {
    work(1);
    fixture.execute("update rota.ledger_segment set opened_at = now() + interval '1 year'");
    List<MaintenanceTask> tasks = lead();
    perform(tasks, TURN_OVER, METER, TURN_OVER);
    assertThat(count("rota.ledger_segment")).isEqualTo(2);
    assertThat(count("rota.ledger_segment where metered_at is not null")).isEqualTo(1);
  }

  /** They would end as soon as the clock is right again. */
  @Test
  void aClockThatIsBehindSealsNothingBeforeItWasOpened() throws SQLException {
    List<MaintenanceTask> tasks = lead();
    work(1);
    step(YEARS.negated());
    perform(tasks, LOOK, OPEN, TURN_OVER);
    for (String table : List.of("rota.segment", "rota.ledger_segment")) {
      assertThat(count(table + " where sealed_at >= opened_at")).as(table).isEqualTo(1);
    }
  }
}
