package dev.rota.benchmarks.whale;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.Database;
import dev.rota.cli.StatusLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CloseableDSLContext;

/**
 * Repeats the trials of a whale, in turns. Used by one thread.
 *
 * @param database the database
 * @param rota the same database
 * @param settings how to load it
 * @param prefix what names of tenants begin with
 * @param small the small tenants
 */
record WhaleRounds(
    Database database, Rota rota, WhaleSettings settings, String prefix, List<Tenant> small) {

  /**
   * A tenant with a deep backlog.
   *
   * @param tenant the tenant
   * @param run how long each of its tasks runs
   */
  record Whale(Tenant tenant, Duration run) {}

  /**
   * Measures the small tenants alone, the whale alone, and both, so many times; tells which is
   * under way. Every other round has both before the whale alone, so that no order favours one of
   * them.
   */
  WhaleReport measure(Duration run, StatusLine line) throws InterruptedException {
    List<Phase> smallAlone = new ArrayList<>();
    List<Phase> whaleAlone = new ArrayList<>();
    List<Phase> beside = new ArrayList<>();
    for (int round = 1; round <= settings.rounds(); round++) {
      line.stage("a whale whose tasks run " + run.toMillis() + " ms, round " + round);
      String name = prefix + "whale-" + run.toMillis() + "-" + round;
      smallAlone.add(trial(name + "-small", run).measure(true, false));
      if (round % 2 == 0) {
        beside.add(trial(name + "-beside", run).measure(true, true));
      }
      whaleAlone.add(trial(name + "-alone", run).measure(false, true));
      if (round % 2 == 1) {
        beside.add(trial(name + "-beside", run).measure(true, true));
      }
    }
    return new WhaleReport(
        run, Phase.median(smallAlone), Phase.median(whaleAlone), Phase.median(beside));
  }

  /** Each whale is new: its tables hold nothing of an earlier trial. */
  private WhaleTrial trial(String whale, Duration run) {
    Whale fresh = new Whale(rota.tenants().register(whale), run);
    return new WhaleTrial(rota, settings, small, fresh, this::checkpoint);
  }

  /** Writes what earlier trials left behind, where the login may ask for that. */
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
