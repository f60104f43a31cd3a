package dev.rota.benchmarks.load;

/**
 * What producers and handlers of a run share.
 *
 * @param timeline the moments of the run
 * @param pace when tasks arrive
 * @param accounting which tasks there were
 * @param latencies how long they waited
 */
record LoadFlow(Timeline timeline, Arrivals pace, Accounting accounting, Latencies latencies) {

  static LoadFlow of(LoadSettings settings, long start) {
    Timeline timeline = Timeline.startingAt(start, settings.timing());
    return new LoadFlow(
        timeline, pace(settings, timeline), new Accounting(), new Latencies(timeline));
  }

  private static Arrivals pace(LoadSettings settings, Timeline timeline) {
    LoadSettings.Arrivals arrivals = settings.production().arrivals();
    int batch = settings.production().batch();
    return arrivals.scheduled()
        ? new ScheduledArrivals(
            timeline, (double) arrivals.tasksPerSecond() / batch, ProcessClock.SYSTEM)
        : new BoundedArrivals(timeline, batch, arrivals.backlog());
  }
}
