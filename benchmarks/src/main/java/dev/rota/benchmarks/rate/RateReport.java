package dev.rota.benchmarks.rate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What began at some rates.
 *
 * @param rounds a trial of each
 */
record RateReport(List<Round> rounds) {

  /**
   * What began at one rate.
   *
   * @param settings the settings of the trial
   * @param starts how many tasks began while it was measured
   * @param worstWindow the most that began in a second
   * @param statements the statements that it took
   * @param kills how many processes were killed
   */
  record Round(
      RateSettings settings, long starts, long worstWindow, Statements statements, int kills) {

    /**
     * The statements of processes.
     *
     * @param perSecond how many each process sent in a second on average
     * @param worst the most that one process sent in a second
     */
    record Statements(double perSecond, long worst) {}

    /**
     * Measures what processes did.
     *
     * @param logs the logs of all processes, also of killed ones
     */
    static Round of(RateSettings settings, List<StartLog> logs, int kills) {
      int[] starts = sum(logs);
      int from = begin(settings, starts);
      int to = from + Math.toIntExact(settings.length().toMillis());
      long statements = logs.stream().mapToLong(log -> log.statements(from, to)).sum();
      double seconds = settings.length().toMillis() / 1_000.0;
      return new Round(
          settings,
          count(starts, from, to),
          worst(starts, from, to),
          new Statements(
              statements / seconds / settings.processes(),
              logs.stream().mapToLong(log -> worstStatements(log, from, to)).max().orElse(0)),
          kills);
    }

    private static int[] sum(List<StartLog> logs) {
      int[] sum = logs.get(0).starts();
      for (StartLog log : logs.subList(1, logs.size())) {
        int[] own = log.starts();
        for (int i = 0; i < sum.length; i++) {
          sum[i] += own[i];
        }
      }
      return sum;
    }

    /** Between two starts, so that it makes no difference whether one is a little late. */
    private static int begin(RateSettings settings, int[] starts) {
      int first = Math.toIntExact(settings.warmup().toMillis());
      int latest = starts.length - Math.toIntExact(settings.length().toMillis());
      while (first < latest - 1 && starts[first] == 0) {
        first++;
      }
      int half = (int) (settings.rate().stepNanos() / 2e6);
      return Math.min(latest, first + 1 + half);
    }

    private static long worst(int[] starts, int from, int to) {
      int window = Math.min(1_000, to - from);
      long now = count(starts, from, from + window);
      long worst = now;
      for (int i = from + window; i < to; i++) {
        now += starts[i] - starts[i - window];
        worst = Math.max(worst, now);
      }
      return worst;
    }

    private static long count(int[] starts, int from, int to) {
      long count = 0;
      for (int i = from; i < to; i++) {
        count += starts[i];
      }
      return count;
    }

    private static long worstStatements(StartLog log, int from, int to) {
      long worst = 0;
      for (int i = from; i + 1_000 <= to; i += 100) {
        worst = Math.max(worst, log.statements(i, i + 1_000));
      }
      return worst;
    }

    /** By which part more began than the rate allows, negative for fewer. */
    double countError() {
      return starts / (settings.perSecond() * settings.length().toMillis() / 1_000) - 1;
    }

    /** How many may begin in a second: the rate, its burst, and one in a hundred. */
    double windowLimit() {
      return 1.01 * (settings.perSecond() + settings.rate().burst());
    }

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("perSecond", settings.perSecond());
      fields.put("burst", settings.rate().burst());
      fields.put("processes", settings.processes());
      fields.put("kills", kills);
      fields.put("seconds", settings.length().toMillis() / 1_000.0);
      fields.put("starts", starts);
      fields.put("countError", Math.round(countError() * 1e6) / 1e6);
      fields.put("worstWindow", worstWindow);
      fields.put("windowLimit", windowLimit());
      fields.put("statementsPerSecond", Math.round(statements.perSecond * 100) / 100.0);
      fields.put("worstStatementsPerSecond", statements.worst);
      return fields;
    }

    private List<String> row() {
      return List.of(
          settings.rate().text(),
          Long.toString(starts),
          String.format(Locale.ROOT, "%+.2f %%", 100 * countError()),
          worstWindow + " of " + (long) windowLimit(),
          String.format(Locale.ROOT, "%.1f, at most %d", statements.perSecond, statements.worst),
          Integer.toString(kills));
    }
  }

  Map<String, Object> fields() {
    return Map.of("rates", rounds.stream().map(Round::fields).toList());
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of("rate", "starts", "error", "worst second", "statements/s a process", "killed"));
    rounds.forEach(round -> rows.add(round.row()));
    return rows;
  }
}
