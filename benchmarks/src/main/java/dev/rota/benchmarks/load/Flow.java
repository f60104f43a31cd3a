package dev.rota.benchmarks.load;

/**
 * What producers and handlers of a run share.
 *
 * @param timeline the moments of the run
 * @param pace when tasks arrive
 * @param accounting which tasks there were
 * @param latencies how long they waited
 */
record Flow(Timeline timeline, Pace pace, Accounting accounting, Latencies latencies) {

  static Flow of(LoadSettings settings, long start) {
    Timeline timeline = Timeline.startingAt(start, settings.timing());
    return new Flow(timeline, pace(settings, timeline), new Accounting(), new Latencies(timeline));
  }

  private static Pace pace(LoadSettings settings, Timeline timeline) {
    LoadSettings.Arrivals arrivals = settings.production().arrivals();
    int batch = settings.production().batch();
    return arrivals.scheduled()
        ? new ScheduledPace(timeline, (double) arrivals.tasksPerSecond() / batch, Time.SYSTEM)
        : new BoundedPace(timeline, batch, arrivals.backlog());
  }
}
