package dev.rota.benchmarks.load;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws tenants: number k has a share in proportion to 1 / (k + 1) to the power of the skew. */
final class TenantPicker {

  private final double[] cumulated;

  TenantPicker(int tenants, double skew) {
    cumulated = new double[tenants];
    double sum = 0;
    for (int i = 0; i < tenants; i++) {
      sum += Math.pow(i + 1, -skew);
      cumulated[i] = sum;
    }
    for (int i = 0; i < tenants; i++) {
      cumulated[i] /= sum;
    }
  }

  int pick(SplittableRandom random) {
    int found = Arrays.binarySearch(cumulated, random.nextDouble());
    int index = found < 0 ? -found - 1 : found + 1;
    return Math.min(index, cumulated.length - 1);
  }
}
