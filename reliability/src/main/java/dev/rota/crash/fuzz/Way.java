package dev.rota.crash.fuzz;

/**
 * One way by which a text gets into Rota.
 *
 * @param name what it is
 * @param slow whether it takes so long that only short texts are worth it
 * @param intake lets a text in
 */
record Way(String name, boolean slow, Intake intake) {

  /** Takes a text, and looks whether it came back as it was. */
  interface Intake {
    void take(String text) throws Exception;
  }

  static Way quick(String name, Intake intake) {
    return new Way(name, false, intake);
  }

  static Way slow(String name, Intake intake) {
    return new Way(name, true, intake);
  }
}
