package dev.rota.crash;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The properties that all tests of one run of the crash suite share: the seed, the size, and the
 * place of the measured figures. Set by the build; see the profiles {@code crash} and {@code soak}.
 */
public final class CrashRun {

  private static final String SEED = "rota.crash.seed";
  private static final Path RESULTS = Path.of("target", "reliability");

  private CrashRun() {}

  /** The seed, chosen on first use: the report of a run is created by a process without one. */
  private static final class Chosen {
    private static final long VALUE = chooseSeed();
  }

  /** The seed of all random choices; printed on first use. */
  public static long seed() {
    return Chosen.VALUE;
  }

  /** Whether this is the long run. */
  public static boolean isSoak() {
    return Boolean.getBoolean("rota.crash.soak");
  }

  /** Selects a size: that of the run of each change, or of the long one. */
  public static int size(int ofEachChange, int ofSoak) {
    return isSoak() ? ofSoak : ofEachChange;
  }

  /** The command that runs a class again with the same seed. */
  public static String command(Class<?> test) {
    return ("mvn -B verify -P" + (isSoak() ? "soak" : "crash"))
        + " -pl reliability -am -Dsurefire.failIfNoSpecifiedTests=false"
        + (" -Dtest=" + test.getSimpleName())
        + (" -D" + SEED + "=" + seed());
  }

  /**
   * Stores the figures of a test as one file {@code <name>.json} among those of the whole run, with
   * the name of the run. Files of earlier runs may be beside it.
   */
  public static void record(String name, Map<String, ?> figures) throws IOException {
    Path file = Files.createDirectories(RESULTS).resolve(name + ".json");
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("run", name(isSoak(), Long.toString(seed())));
    content.put("figures", figures);
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(file.toFile(), content);
    System.out.println(name + ": " + figures);
  }

  /** The name of a run. */
  static String name(boolean soak, String seed) {
    return (soak ? "soak" : "crash") + " with seed " + seed;
  }

  private static long chooseSeed() {
    String given = System.getProperty(SEED, "");
    long seed = given.isBlank() ? System.currentTimeMillis() : Long.parseLong(given);
    System.out.println("Seed of the crash suite: -D" + SEED + "=" + seed);
    return seed;
  }
}
