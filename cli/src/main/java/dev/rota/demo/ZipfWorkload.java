package dev.rota.demo;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A workload in which job number k has a share of the tasks in proportion to 1 / (k + 1). */
record ZipfWorkload(long tasks, int jobs, long seed) implements DemoWorkload {

  @Override
  public void read(Sink sink) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    double[] cumulated = cumulated();
    boolean wanted = true;
    for (long i = 0; i < tasks && wanted; i++) {
      wanted = sink.accept(pick(cumulated, random.nextDouble()), i, 1, false);
    }
  }

  @Override
  public long count() {
    return tasks;
  }

  private double[] cumulated() {
    double[] shares = new double[jobs];
    double sum = 0;
    for (int i = 0; i < jobs; i++) {
      sum += 1.0 / (i + 1);
      shares[i] = sum;
    }
    for (int i = 0; i < jobs; i++) {
      shares[i] /= sum;
    }
    return shares;
  }

  private static int pick(double[] cumulated, double point) {
    int found = Arrays.binarySearch(cumulated, point);
    int index = found < 0 ? -found - 1 : found + 1;
    return Math.min(index, cumulated.length - 1);
  }
}
