package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/** Runs a rotation daemon, which stops after the worker and before the web server. */
final class DaemonLifecycle implements SmartLifecycle {

  private static final int BEFORE_THE_WORKER = 512;

  private final Rota rota;
  private final RotaProperties.Daemon properties;
  private final List<RotaCustomizer<RotationDaemon.Builder>> customizers;
  private volatile @Nullable RotationDaemon daemon;

  DaemonLifecycle(
      Rota rota,
      RotaProperties.Daemon properties,
      ObjectProvider<RotaCustomizer<RotationDaemon.Builder>> customizers) {
    this.rota = rota;
    this.properties = properties;
    this.customizers = customizers.orderedStream().toList();
  }

  @Override
  public synchronized void start() {
    if (daemon == null) {
      RotationDaemon.Builder builder =
          RotationDaemon.builder(rota)
              .rotateEvery(properties.getRotateEvery())
              .keepHistory(properties.getKeepHistory());
      customizers.forEach(customizer -> customizer.customize(builder));
      daemon = builder.start();
    }
  }

  @Override
  public synchronized void stop() {
    RotationDaemon running = daemon;
    if (running != null) {
      running.close();
      daemon = null;
    }
  }

  @Override
  public boolean isRunning() {
    return daemon != null;
  }

  @Override
  public int getPhase() {
    return DEFAULT_PHASE - BEFORE_THE_WORKER;
  }

  @Nullable RotationDaemon daemon() {
    return daemon;
  }
}
