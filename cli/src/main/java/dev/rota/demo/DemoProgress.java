package dev.rota.demo;

/** Receives the progress of a demo. Called by one thread. */
public interface DemoProgress {

  /**
   * The state of the work.
   *
   * @param total tasks of the whole workload
   * @param enqueued tasks enqueued so far
   * @param finished tasks whose handler ran for the last time
   * @param rotations switches of rings so far
   * @param postponed switches postponed so far
   */
  record Snapshot(long total, long enqueued, long finished, long rotations, long postponed) {}

  /**
   * Called when a new stage begins.
   *
   * @param name the name of the stage
   */
  void stage(String name);

  /**
   * Called about ten times a second while the work continues.
   *
   * @param snapshot the state of the work
   */
  void update(Snapshot snapshot);

  /**
   * Called with a warning that does not end the demo.
   *
   * @param sentence the warning
   */
  void warn(String sentence);
}
