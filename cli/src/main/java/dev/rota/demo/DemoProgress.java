package dev.rota.demo;

/** Hears how far a demo is. Called by one thread. */
public interface DemoProgress {

  /**
   * How far the work is.
   *
   * @param total tasks of the whole workload
   * @param enqueued tasks enqueued so far
   * @param finished tasks whose handler ran for the last time
   * @param rotations switches of rings so far
   * @param postponed switches put off so far
   */
  record Snapshot(long total, long enqueued, long finished, long rotations, long postponed) {}

  /**
   * A new part begins.
   *
   * @param name what is being done
   */
  void stage(String name);

  /**
   * Work goes on; called about ten times a second.
   *
   * @param snapshot how far it is
   */
  void update(Snapshot snapshot);

  /**
   * Something that the user should know, and that does not end the demo.
   *
   * @param sentence what it is
   */
  void warn(String sentence);
}
