package dev.rota.crash.fuzz;

/**
 * One path by which a text gets into Rota.
 *
 * @param name its name
 * @param slow whether it takes so long that only short texts are tried
 * @param intake passes a text to Rota
 */
record IntakePath(String name, boolean slow, Intake intake) {

  /** Passes a text, and checks whether it came back unchanged. */
  interface Intake {
    void take(String text) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }

  static IntakePath quick(String name, Intake intake) {
    return new IntakePath(name, false, intake);
  }

  static IntakePath slow(String name, Intake intake) {
    return new IntakePath(name, true, intake);
  }
}
