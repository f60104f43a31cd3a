package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.TaskObserver;
import dev.rota.testing.Await;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests that an observer sees the counters of a daemon. */
@RotaTest
class ObservedDaemonTest {

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  /** The daemons that an observer knows. */
  private static final class Known implements TaskObserver {
    final Queue<Supplier<DaemonLoad>> daemons = new ConcurrentLinkedQueue<>();

    @Override
    public void daemonStarted(Supplier<DaemonLoad> load) {
      daemons.add(load);
    }

    @Override
    public void daemonClosed(Supplier<DaemonLoad> load) {
      assertThat(daemons.remove(load)).isTrue();
    }
  }

  @Test
  void showsWhoLeadsAndWhatWasDone() {
    Known known = new Known();
    Rota rota = fixture.another(builder -> builder.observer(known));
    RotationDaemon daemon = fixture.daemon(rota, DaemonFixture::quickRing);
    assertThat(known.daemons).hasSize(1);
    Supplier<DaemonLoad> load = known.daemons.element();
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      Await.until(
          "a rotation",
          () -> {
            acme.enqueue(NewTask.of("k", "{}"));
            return load.get().rings().rotations() > 0;
          });
    }
    assertThat(load.get().leading()).isTrue();
    assertThat(load.get().segments().opened()).isEqualTo(daemon.statistics().segments().opened());
    assertThat(load.get().archive()).isEqualTo(new DaemonLoad.Archived(0, 0, 0));
    daemon.close();
    assertThat(known.daemons).isEmpty();
    assertThat(load.get().leading()).isFalse();
    daemon.close();
  }
}
