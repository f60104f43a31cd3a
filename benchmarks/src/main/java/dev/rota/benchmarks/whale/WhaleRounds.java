package dev.rota.benchmarks.whale;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.StatusLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Repeats the trials of a whale, in turns. Used by one thread.
 *
 * @param rota the database
 * @param settings how to load it
 * @param small the small tenants
 */
record WhaleRounds(Rota rota, WhaleSettings settings, List<Tenant> small) {

  /**
   * A tenant with a deep backlog.
   *
   * @param tenant the tenant
   * @param run how long each of its tasks runs
   */
  record Whale(Tenant tenant, Duration run) {}

  /**
   * The small tenants alone, the whale alone, and both, so many times; tells which is under way.
   */
  WhaleReport measure(Whale whale, StatusLine line) throws InterruptedException {
    List<Phase> smallAlone = new ArrayList<>();
    List<Phase> whaleAlone = new ArrayList<>();
    List<Phase> beside = new ArrayList<>();
    for (int round = 1; round <= settings.rounds(); round++) {
      line.stage("a whale whose tasks run " + whale.run().toMillis() + " ms, round " + round);
      smallAlone.add(new WhaleTrial(rota, settings, small, whale).measure(true, false));
      whaleAlone.add(new WhaleTrial(rota, settings, small, whale).measure(false, true));
      beside.add(new WhaleTrial(rota, settings, small, whale).measure(true, true));
    }
    return new WhaleReport(
        whale.run(), Phase.median(smallAlone), Phase.median(whaleAlone), Phase.median(beside));
  }
}
