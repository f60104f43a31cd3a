package dev.rota.benchmarks.whale;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.database.CommandDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CloseableDSLContext;

/**
 * Repeats the trials of a whale, in turns. Used by one thread.
 *
 * @param database the database
 * @param rota the same database
 * @param settings the settings of the load
 * @param small the small tenants
 */
record WhaleRounds(
    CommandDatabase database, Rota rota, WhaleSettings settings, List<Tenant> small) {

  /**
   * Measures the small tenants alone, the whale alone, and both, in each round; shows the present
   * phase. Every other round has both before the whale alone, so that no order favours one of them.
   */
  WhaleReport measure(Duration run, StatusLine line) throws InterruptedException {
    List<Phase> smallAlone = new ArrayList<>();
    List<Phase> whaleAlone = new ArrayList<>();
    List<Phase> beside = new ArrayList<>();
    for (int round = 1; round <= settings.rounds(); round++) {
      line.stage("a whale whose tasks run " + run.toMillis() + " ms, round " + round);
      smallAlone.add(trial(run).measure(true, false));
      boolean besideFirst = round % 2 == 0;
      for (boolean withSmall : new boolean[] {besideFirst, !besideFirst}) {
        (withSmall ? beside : whaleAlone).add(trial(run).measure(withSmall, true));
      }
    }
    return new WhaleReport(
        run, Phase.median(smallAlone), Phase.median(whaleAlone), Phase.median(beside));
  }

  private WhaleTrial trial(Duration run) {
    return new WhaleTrial(rota, settings, small, run, this::checkpoint);
  }

  /** Makes a checkpoint of earlier trials' writes, if the role may do so. */
  private void checkpoint() {
    try (CloseableDSLContext connection = database.connect()) {
      boolean may =
          connection
              .fetchSingle("select pg_has_role(current_user, 'pg_checkpoint', 'usage')")
              .into(boolean.class);
      if (may) {
        connection.execute("checkpoint");
      }
    }
  }
}
