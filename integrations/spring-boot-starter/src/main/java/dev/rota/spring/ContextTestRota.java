package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.junit.TenantAssert;
import dev.rota.junit.TestRota;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The {@link TestRota} of a context, which forgets at each test what earlier ones have set. */
final class ContextTestRota implements TestRota {

  private final Supplier<TestRota> fresh;
  private volatile TestRota present;

  ContextTestRota(Supplier<TestRota> fresh) {
    this.fresh = fresh;
    this.present = fresh.get();
  }

  /** Begins a test. */
  void begin() {
    present = fresh.get();
  }

  @Override
  public Rota rota() {
    return present.rota();
  }

  @Override
  public TestRota handlers(UnaryOperator<Worker.Builder> settings) {
    return present.handlers(settings);
  }

  @Override
  public int drain() {
    return present.drain();
  }

  @Override
  public TestRota expectFailures() {
    return present.expectFailures();
  }

  @Override
  public TestRota advance(Duration time) {
    return present.advance(time);
  }

  @Override
  public int crash() {
    return present.crash();
  }

  @Override
  public TenantAssert assertThat(Tenant tenant) {
    return present.assertThat(tenant);
  }
}
