package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.LogDirectory;
import dev.rota.crash.campaign.audit.CampaignAudit;
import dev.rota.crash.campaign.audit.CampaignVerdict;
import dev.rota.crash.server.DatabaseCopy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rewrites tables, and dumps and restores the whole database, while tasks run, fail, take long,
 * pass stages and lose their workers. A row location is a hint, never an identity.
 */
@Alone
@CrashTest
class RewriteCampaignTest {

  private static final int FAULTS = 45;
  private static final long TASKS = 105_000;
  private static final int FAULTS_OF_SOAK = 450;
  private static final long TASKS_OF_SOAK = 1_000_000;
  private static final int TASKS_A_SECOND = 1_600;

  /** Tasks that take a while take longer than a second, after which what is done is settled. */
  private static final int A_WHILE_MILLIS = 1_400;

  private static final Map<FaultKind, Integer> REWRITES =
      Map.of(
          FaultKind.VACUUM_FULL, 5,
          FaultKind.CLUSTER, 5,
          FaultKind.SET_LOGGED, 5,
          FaultKind.ADD_COLUMN, 5);

  private static final Map<FaultKind, Integer> OTHERS =
      Map.of(
          FaultKind.RESTORE, 1,
          FaultKind.KILL_WORKER, 2,
          FaultKind.REPLACE_WORKER, 1,
          FaultKind.FREEZE_WORKER, 1,
          FaultKind.KILL_DAEMON, 1,
          FaultKind.CLOCK_STEP, 1,
          FaultKind.TERMINATE_BACKEND, 1,
          FaultKind.CUT_COMMIT_OF_CLAIM, 1,
          FaultKind.CUT_COMMIT_OF_SETTLE, 1);

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void nothingIsLostThoughRowsMove(int major) throws Exception {
    int faults = Integer.getInteger("rota.campaign.faults", CrashRun.size(FAULTS, FAULTS_OF_SOAK));
    long tasks =
        Long.getLong(
            "rota.campaign.tasks", CrashRun.isSoak() ? TASKS_OF_SOAK : TASKS * faults / FAULTS);
    int tasksBetween = Math.toIntExact(tasks * 4 / 5 / faults);
    FaultPlan plan = FaultPlan.of(CrashRun.seed() + major, deck(), faults, tasksBetween);
    try {
      LogDirectory.with("rewrite-" + major, directory -> survive(major, plan, tasks, directory));
    } catch (Exception | AssertionError e) {
      System.out.println("The plan of rewrite-" + major + ":\n" + plan);
      throw e;
    }
  }

  private static List<FaultKind> deck() {
    Map<FaultKind, Integer> all = new EnumMap<>(REWRITES);
    all.putAll(OTHERS);
    return all.entrySet().stream()
        .flatMap(each -> Collections.nCopies(each.getValue(), each.getKey()).stream())
        .toList();
  }

  private static void survive(int major, FaultPlan plan, long tasks, Path directory)
      throws Exception {
    Load load = new Load(major, TASKS_A_SECOND, 40, A_WHILE_MILLIS);
    try (CampaignEnvironment environment =
            new CampaignEnvironment(directory, DeliveryMode.LEASED, load);
        Campaign campaign = new Campaign(environment, DeliveryMode.LEASED, plan)) {
      campaign.run(tasks);
      campaign.comeToRest();
      CampaignAudit auditor = new CampaignAudit(DeliveryMode.LEASED, environment.disturbances());
      CampaignVerdict verdict = campaign.audit(auditor);
      Map<String, Object> figures = campaign.figures(verdict, auditor);
      long rewrites =
          count(plan, REWRITES.keySet().toArray(FaultKind[]::new)) * RewriteFaults.TABLES;
      figures.put("rewrites", rewrites);
      figures.put("clockSteps", count(plan, FaultKind.CLOCK_STEP));
      figures.put("restores", count(plan, FaultKind.RESTORE));
      figures.put("restoredBy", DatabaseCopy.isDumped(major) ? "pg_dump" : "a copy, packed");
      CrashRun.record("rewrite-" + major, figures);
      assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
      assertThat(figures).containsEntry("faults", plan.faults().size());
      if (plan.faults().size() >= FAULTS) {
        assertThat(rewrites).as("tables that were rewritten").isGreaterThanOrEqualTo(100);
        assertThat(verdict.counted(CampaignVerdict.Count.ACKNOWLEDGED)).isGreaterThan(100_000);
      }
    }
  }

  private static long count(FaultPlan plan, FaultKind... kinds) {
    return plan.faults().stream()
        .filter(each -> Arrays.asList(kinds).contains(each.kind()))
        .count();
  }
}
