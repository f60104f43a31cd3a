package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.CrashRun;
import dev.rota.crash.LogDirectory;
import dev.rota.crash.campaign.audit.CampaignAudit;
import dev.rota.crash.campaign.audit.CampaignVerdict;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Runs the campaign of one delivery mode. */
abstract class CampaignTest {

  private static final int FAULTS = 200;
  private static final long TASKS = 20_000;
  private static final int FAULTS_OF_SOAK = 1_000;
  private static final long TASKS_OF_SOAK = 10_000_000;

  /** On two cores workers do 420 in transactions, beside faults: more would pile up. */
  private static final Load LOAD = new Load(18, 400, 4, 200);

  private final DeliveryMode mode;
  private final int faults =
      Integer.getInteger("rota.campaign.faults", CrashRun.size(FAULTS, FAULTS_OF_SOAK));
  private final long tasks =
      Long.getLong(
          "rota.campaign.tasks", CrashRun.isSoak() ? TASKS_OF_SOAK : TASKS * faults / FAULTS);

  CampaignTest(DeliveryMode mode) {
    this.mode = mode;
  }

  void nothingIsLostOrDoneTwiceWithoutCause() throws Exception {
    String name = "campaign-" + mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
    FaultPlan plan = FaultPlan.of(CrashRun.seed(), FaultKind.usual(), faults, tasksBetween());
    try {
      LogDirectory.with(name, directory -> survive(name, plan, directory));
    } catch (Exception | AssertionError e) {
      System.out.println("The plan of " + name + ":\n" + plan);
      throw e;
    }
  }

  /** In the long run the faults are spread over four fifths of the tasks. */
  private int tasksBetween() {
    return CrashRun.isSoak() ? Math.toIntExact(tasks * 4 / 5 / faults) : 40;
  }

  private void survive(String name, FaultPlan plan, Path directory) throws Exception {
    try (CampaignEnvironment environment = new CampaignEnvironment(directory, mode, LOAD);
        Campaign campaign = new Campaign(environment, mode, plan)) {
      campaign.run(tasks);
      campaign.comeToRest();
      CampaignAudit auditor = new CampaignAudit(mode, environment.disturbances());
      CampaignVerdict verdict = campaign.audit(auditor);
      Map<String, Object> figures = campaign.figures(verdict, auditor);
      CrashRun.record(name, figures);
      assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
      assertThat(figures).containsEntry("faults", faults);
      assertThat(verdict.counted(CampaignVerdict.Count.ACKNOWLEDGED)).isPositive();
      if (mode == DeliveryMode.LEASED && faults >= FAULTS) {
        assertThat(auditor.fenced()).as("outcomes of woken workers that were dropped").isPositive();
      }
    }
  }
}
