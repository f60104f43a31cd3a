package dev.rota.crash.campaign.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.TaskState;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.CampaignVerdict.Charge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;

/** Accounts that a test writes itself, and the auditor's result. */
abstract class WrittenAccounts {

  static final long TASK = 5_000;

  /** The time at which lost attempts end in history. */
  static final long FINISHED_AT = 11_300;

  static final long SUCCEEDS = markOf(CampaignTask.SUCCEED, 0);
  static final long FAILS_ONCE = markOf(CampaignTask.FAIL_ONCE, 0);
  static final long ENDS_DEAD = markOf(CampaignTask.END_DEAD, 0);

  @TempDir private Path directory;
  final Disturbances disturbances = new Disturbances(Duration.ofSeconds(2));
  CampaignAudit auditor = new CampaignAudit(DeliveryMode.LEASED, disturbances);
  private int logs;

  static long markOf(CampaignTask behavior, long from) {
    return LongStream.iterate(CampaignAccounts.mark(1, 1) + from, mark -> mark + 1)
        .filter(mark -> CampaignTask.of(mark) == behavior)
        .findFirst()
        .orElseThrow();
  }

  final void producer(String... lines) throws IOException {
    auditor.producer(log(lines));
  }

  final void enqueued(long mark) throws IOException {
    producer("i " + mark + " 1 SINGLE", "o " + mark + " " + TASK);
  }

  final void runs(String process, String... lines) throws IOException {
    auditor.runs(process, log(lines));
  }

  final Path log(String... lines) throws IOException {
    return Files.writeString(
        directory.resolve(++logs + ".log"),
        String.join("\n", lines) + (lines.length > 0 ? "\n" : ""));
  }

  static String run(char what, long time, long mark, int attempt) {
    return what + " " + time + " " + mark + " " + TASK + " " + attempt;
  }

  final void ended(long mark, int attempt, TaskState state) {
    history(mark, TASK, attempt, state);
  }

  final void history(long mark, long task, int attempt, TaskState state) {
    history(mark, new RerunExplanations.Row(task, attempt, state, FINISHED_AT));
  }

  final void history(long mark, RerunExplanations.Row row) {
    auditor.history(mark, row);
  }

  final void assertOnly(Charge charge) throws IOException {
    CampaignVerdict verdict = auditor.verdict();
    for (Charge each : Charge.values()) {
      assertThat(verdict.count(each)).as(each + " in " + verdict).isEqualTo(each == charge ? 1 : 0);
    }
    assertThat(verdict.isClean()).isFalse();
    assertThat(verdict.toString()).contains(charge.name());
  }

  final CampaignVerdict assertClean() throws IOException {
    CampaignVerdict verdict = auditor.verdict();
    assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
    return verdict;
  }
}
