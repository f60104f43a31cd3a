package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZipfWorkloadTest {

  @Test
  void theSameSeedGivesTheSameTasks() throws InterruptedException {
    assertThat(jobs(DemoWorkload.zipf(10_000, 100, 7)))
        .isEqualTo(jobs(DemoWorkload.zipf(10_000, 100, 7)));
    assertThat(jobs(DemoWorkload.zipf(10_000, 100, 7)))
        .isNotEqualTo(jobs(DemoWorkload.zipf(10_000, 100, 8)));
  }

  @Test
  void sharesFallWithTheRank() throws InterruptedException {
    long[] counts = new long[1_000];
    jobs(DemoWorkload.zipf(1_000_000, 1_000, 1)).forEach(job -> counts[job.intValue()]++);
    // The sum of 1/k up to 1,000 is 7.485.
    assertThat(counts[0]).isBetween(132_000L, 135_000L);
    assertThat(counts[9]).isBetween(13_000L, 13_800L);
    assertThat(counts[999]).isBetween(90L, 180L);
  }

  @Test
  void countsAndLimits() throws InterruptedException {
    assertThat(DemoWorkload.zipf(10_000, 10, 1).count()).isEqualTo(10_000);
    assertThat(DemoWorkload.zipf(10_000, 10, 1).limit(99).count()).isEqualTo(99);
    assertThat(DemoWorkload.zipf(10_000, 10, 1).limit(0).count()).isZero();
    assertThat(jobs(DemoWorkload.zipf(10_000, 1, 1))).containsOnly(0L);
  }

  private static List<Long> jobs(DemoWorkload workload) throws InterruptedException {
    List<Long> jobs = new ArrayList<>();
    workload.read((job, task, instances, fails) -> jobs.add(job));
    return jobs;
  }
}
