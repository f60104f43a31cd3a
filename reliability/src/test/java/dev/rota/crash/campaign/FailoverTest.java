package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.LogDirectory;
import dev.rota.crash.campaign.PlannedFault.Aim;
import dev.rota.crash.campaign.audit.CampaignAudit;
import dev.rota.crash.campaign.audit.CampaignVerdict;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replaces the server that processes know by another one, with all of its past or without the last
 * of it. No task is lost that the new server had, no number means two things, and no process ends a
 * batch that another one holds.
 */
@Alone
@CrashTest
@ParameterizedClass
@MethodSource("versions")
class FailoverTest {

  private static final long TASKS = 6_000;

  @Parameter int major;

  static IntStream versions() {
    return CrashRun.isSoak() ? IntStream.rangeClosed(15, 18) : IntStream.of(18);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"PROMOTE_SYNCHRONOUS_STANDBY", "PROMOTE_LAGGING_STANDBY", "RESTORE_BASE_BACKUP"})
  void onlyWhatTheOtherNeverHadIsLost(FaultKind failover) throws Exception {
    String name = failover.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + major;
    LogDirectory.with(name, directory -> survive(name, failover, directory));
  }

  private void survive(String name, FaultKind failover, Path directory) throws Exception {
    FaultPlan plan =
        new FaultPlan(List.of(new PlannedFault(1, failover, 1_000, false, new Aim(0, 0))));
    Load load = new Load(major, 600, 20, 1_000);
    try (CampaignEnvironment environment =
            new CampaignEnvironment(directory, DeliveryMode.LEASED, load);
        Campaign campaign = new Campaign(environment, DeliveryMode.LEASED, plan)) {
      campaign.run(TASKS);
      campaign.comeToRest();
      CampaignAudit auditor =
          new CampaignAudit(
              DeliveryMode.LEASED, environment.disturbances(), environment.lostPasts());
      CampaignVerdict verdict = campaign.audit(auditor);
      List<String> contradictions = campaign.contradictions();
      Map<String, Object> figures = campaign.figures(verdict, auditor);
      figures.put("acknowledgedInVain", auditor.acknowledgedInVain());
      figures.put("contradictionsOfHistory", contradictions.size());
      CrashRun.record("failover-" + name, figures);
      assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
      assertThat(contradictions).as("what history says that cannot be").isEmpty();
      if (failover != FaultKind.PROMOTE_SYNCHRONOUS_STANDBY) {
        assertThat(auditor.acknowledgedInVain()).as("acknowledged in the lost past").isPositive();
      }
    }
  }
}
