package dev.rota.crash.fuzz;

/**
 * One way by which a text gets into Rota.
 *
 * @param name what it is
 * @param slow whether it takes so long that only short texts are worth it
 * @param intake lets a text in
 */
record IntakePath(String name, boolean slow, Intake intake) {

  /** Takes a text, and looks whether it came back as it was. */
  interface Intake {
    void take(String text) throws Exception;
  }

  static IntakePath quick(String name, Intake intake) {
    return new IntakePath(name, false, intake);
  }

  static IntakePath slow(String name, Intake intake) {
    return new IntakePath(name, true, intake);
  }
}
