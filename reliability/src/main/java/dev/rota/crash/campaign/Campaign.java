package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.accounts.AppendLog;
import dev.rota.crash.campaign.audit.CampaignAudit;
import dev.rota.crash.campaign.audit.CampaignDatabase;
import dev.rota.crash.campaign.audit.CampaignVerdict;
import dev.rota.crash.campaign.audit.SurvivingRuns;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Runs a plan of faults on a running environment, brings everything to rest, and audits. */
final class Campaign implements AutoCloseable {

  /** A finished fault, with its times by the clock of the machine. */
  private record Over(PlannedFault fault, long from, long to) {}

  private static final int MOST_AT_ONCE = 3;

  /** The pause of successes after which the next fault does not wait for more. */
  private static final Duration STANDSTILL = Duration.ofSeconds(2);

  /**
   * The limit of a pause of successes: a killed server, a frozen worker and their leases together
   * take less.
   */
  private static final Duration STUCK = Duration.ofSeconds(60);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private final CampaignEnvironment environment;
  private final DeliveryMode mode;
  private final FaultPlan plan;
  private final Progress progress;
  private final CampaignDatabase database;
  private final AppendLog diary;
  private final List<Future<PlannedFault>> inFlight = new ArrayList<>();
  private final Queue<Over> over = new ConcurrentLinkedQueue<>();
  private final Map<FaultKind, Integer> happened = new TreeMap<>();
  private final long begun = System.nanoTime();
  private int overlapped;

  Campaign(CampaignEnvironment environment, DeliveryMode mode, FaultPlan plan) throws IOException {
    this.environment = environment;
    this.mode = mode;
    this.plan = plan;
    this.progress = new Progress(environment.directory());
    this.database = new CampaignDatabase(environment::server, environment.tenants());
    this.diary = new AppendLog(environment.directory().resolve("faults.diary"));
  }

  /** Runs the plan, then continues until a number of tasks have succeeded. */
  void run(long tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(MOST_AT_ONCE);
    try {
      for (PlannedFault fault : plan.faults()) {
        awaitProgress(progress.succeeded() + fault.afterTasks(), STANDSTILL);
        awaitAtMost(fault.overlaps() ? MOST_AT_ONCE - 1 : 0);
        overlapped += inFlight.isEmpty() ? 0 : 1;
        inFlight.add(threads.submit(() -> strike(fault)));
      }
      awaitAtMost(0);
    } finally {
      threads.shutdownNow();
    }
    while (progress.succeeded() < tasks) {
      awaitProgress(tasks, STUCK);
      assertThat(progress.sinceLast()).as("nothing has succeeded for").isLessThan(STUCK);
    }
  }

  private PlannedFault strike(PlannedFault fault) throws Exception {
    Duration hold = Duration.ofMillis(fault.aim().holdMillis());
    ActiveFault active = new ActiveFault(environment, fault.kind(), fault.aim().victim(), hold);
    long from = System.currentTimeMillis();
    try {
      diary.write(from + " begins " + fault);
      fault.kind().injection().inject(active);
      long to = System.currentTimeMillis();
      diary.write(to + " is over " + fault);
      over.add(new Over(fault, from, to));
      return fault;
    } catch (Exception | AssertionError e) {
      throw new AssertionError(
          "fault " + fault + " did not happen as it should\n" + database.scene(), e);
    }
  }

  private void awaitProgress(long goal, Duration standstill) throws Exception {
    long begun = System.nanoTime();
    while (progress.succeeded() < goal) {
      Duration waited = Duration.ofNanos(System.nanoTime() - begun);
      if (progress.sinceLast().compareTo(standstill) > 0 && waited.compareTo(standstill) > 0) {
        return;
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
  }

  /** Waits until at most that many faults are in progress. */
  private void awaitAtMost(int most) throws Exception {
    bookFinished();
    while (inFlight.size() > most) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      progress.succeeded();
      bookFinished();
    }
  }

  private void bookFinished() throws Exception {
    for (Iterator<Future<PlannedFault>> each = inFlight.iterator(); each.hasNext(); ) {
      Future<PlannedFault> fault = each.next();
      if (fault.isDone()) {
        each.remove();
        happened.merge(result(fault).kind(), 1, Integer::sum);
      }
    }
  }

  private static PlannedFault result(Future<PlannedFault> future) throws Exception {
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new AssertionError(String.valueOf(cause.getMessage()), cause);
    }
  }

  /**
   * Stops the producers, and waits until no task is pending, waiting or running, for as long as
   * tasks succeed.
   */
  void comeToRest() throws Exception {
    for (ProcessSupervisor producer : environment.producers()) {
      producer.stop();
    }
    long succeeded = progress.succeeded();
    long since = System.nanoTime();
    while (!database.pending().isEmpty() && System.nanoTime() - since < STUCK.toNanos()) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      if (progress.succeeded() > succeeded) {
        succeeded = progress.succeeded();
        since = System.nanoTime();
      }
    }
    for (ProcessSupervisor worker : environment.workers()) {
      worker.stop();
    }
  }

  /** Audits every task. */
  CampaignVerdict audit(CampaignAudit auditor) throws Exception {
    forEach("*.tasks", (name, log) -> auditor.producer(log));
    forEach("*.runs", auditor::runs);
    database.audit(auditor);
    return auditor.verdict();
  }

  /** Finds impossible rows of history, by its own keys and by the times at which handlers ran. */
  List<String> contradictions() throws Exception {
    SurvivingRuns runs = new SurvivingRuns();
    forEach("*.runs", runs::read);
    List<String> found = new ArrayList<>(database.ambiguous());
    found.addAll(runs.contradictions(database));
    return found;
  }

  private interface LogReader {
    void read(String process, Path log) throws Exception;
  }

  private void forEach(String pattern, LogReader reader) throws Exception {
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(environment.directory(), pattern)) {
      for (Path log : logs) {
        String file = log.getFileName().toString();
        reader.read(file.substring(0, file.lastIndexOf('.')), log);
      }
    }
  }

  private List<String> inLongestGap() {
    long end = progress.longestGapEnded().toEpochMilli();
    long begin = end - progress.longestGap().toMillis();
    return over.stream()
        .filter(each -> each.from() <= end && each.to() >= begin)
        .map(each -> each.fault().toString())
        .toList();
  }

  @Override
  public void close() throws IOException {
    diary.close();
  }

  /** The measured figures. */
  Map<String, Object> figures(CampaignVerdict verdict, CampaignAudit auditor) throws Exception {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("mode", mode);
    figures.put("faults", happened.values().stream().mapToInt(Integer::intValue).sum());
    figures.put("faultsByKind", happened);
    figures.put("faultsThatOverlapped", overlapped);
    for (CampaignVerdict.Count tally : CampaignVerdict.Count.values()) {
      figures.put(tally.name().toLowerCase(Locale.ROOT), verdict.counted(tally));
    }
    for (CampaignVerdict.Charge charge : CampaignVerdict.Charge.values()) {
      figures.put(charge.name().toLowerCase(Locale.ROOT), verdict.count(charge));
    }
    figures.put("duplicatesExplainedBy", verdict.explanations());
    figures.put("outcomesFenced", auditor.fenced());
    figures.put("rotations", database.rotations());
    figures.put("segmentsOfHistory", database.segments());
    figures.put("longestGapMillis", progress.longestGap().toMillis());
    figures.put("faultsInLongestGap", inLongestGap());
    figures.put("seconds", (System.nanoTime() - begun) / 1_000_000_000);
    return figures;
  }
}
