package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestExecutionListener;

/** Tests that a JVM whose tests hang is noticed. */
class HangWatchTest {

  private final AtomicLong now = new AtomicLong();
  private final List<String> reports = new ArrayList<>();
  private final HangWatch watch = new HangWatch(Duration.ofMinutes(7), now::get, reports::add);

  @Test
  void silenceIsReportedWithTheThreads() {
    pass(7);
    watch.look();
    assertThat(reports).isEmpty();
    pass(1);
    watch.look();
    assertThat(reports)
        .singleElement()
        .asString()
        .contains("no test began or ended for 7 minutes; the last event was the JVM has started")
        .contains("HangWatchTest.silenceIsReportedWithTheThreads");
  }

  @Test
  void theBuildWatchesEachOfItsJvms() {
    assertThat(ServiceLoader.load(TestExecutionListener.class).stream())
        .anyMatch(listener -> listener.type() == HangWatch.class);
    // Other programs that run tests set neither limit.
    assertThat(System.getProperty(HangWatch.LIMIT) == null)
        .isEqualTo(System.getProperty("junit.jupiter.execution.timeout.default") == null);
  }

  private void pass(long minutes) {
    now.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
  }
}
