package dev.rota.journeys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Counts the source files through which the three journeys of a task pass, each with a bound. A
 * number may fall and never grow: a change that lowers a number lowers its bound. The test prints
 * the files.
 */
class JourneyTest {

  private static final int FILES_OF_ENQUEUE = 15;
  private static final int FILES_OF_WORK = 35;
  private static final int FILES_OF_ROTATION = 17;

  private static Map<String, Set<String>> journeys;

  @BeforeAll
  static void trace() throws Exception {
    try (TestDatabase database = MigratedDatabase.create()) {
      journeys = JourneyTracer.trace(JourneyProcess.class, database.jdbcUrl());
    }
  }

  /** From the call of a producer to the return of the id. */
  @Test
  void enqueueDoesNotGrow() {
    check("enqueue", FILES_OF_ENQUEUE);
  }

  /** From the wake-up of a worker to the commit of the task's outcome. */
  @Test
  void workDoesNotGrow() {
    check("work", FILES_OF_WORK);
  }

  /** From the look at all rings to the commit of a switched one. */
  @Test
  void rotationDoesNotGrow() {
    check("rotation", FILES_OF_ROTATION);
  }

  private static void check(String journey, int bound) {
    Set<String> files = journeys.get(journey);
    System.out.printf("files of the journey %s: %d, bound %d%n", journey, files.size(), bound);
    files.forEach(file -> System.out.println("  " + file));
    assertThat(files).hasSizeBetween(1, bound);
  }
}
