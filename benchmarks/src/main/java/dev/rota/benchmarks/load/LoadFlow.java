package dev.rota.benchmarks.load;

/**
 * The state that producers and handlers of a run share.
 *
 * @param timeline the moments of the run
 * @param pace the arrivals of tasks
 * @param accounting the tasks of the run
 * @param latencies their waits
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
