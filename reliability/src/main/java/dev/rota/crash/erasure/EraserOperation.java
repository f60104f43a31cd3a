package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.KillDrill;
import dev.rota.erasure.Belongings;
import dev.rota.erasure.ErasureFixture;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.processes.JavaProcess;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Erases one tenant after the other, each by as many processes as are killed meanwhile. The worker
 * of another tenant continues. Used by one thread.
 */
final class EraserOperation implements KillDrill.Operation, AutoCloseable {

  private final ErasureFixture fixture;
  private final Tenant bystander;
  private final Worker worker;
  private final List<String> killed = new ArrayList<>();
  private @Nullable ErasedTenant victim;
  private long enqueued;
  private int victims;

  /** A tenant to erase, with its belongings. */
  private record ErasedTenant(String name, int number, List<String> belongings) {}

  EraserOperation(Path folder) throws Exception {
    fixture = new ErasureFixture(MigratedDatabase.onVersion(18), folder);
    bystander = fixture.rota().tenants().register("bystander");
    worker = fixture.rota().worker().handle("k", task -> {}).start();
  }

  @Override
  public JavaProcess start(String step) throws Exception {
    if (victim == null) {
      victim = next();
    }
    enqueued += bystander.enqueueAll(Collections.nCopies(20, NewTask.of("k", "{}"))).size();
    return JavaProcess.start(
        EraserProcess.class, fixture.jdbcUrl(), fixture.kept().toString(), victim.name(), step);
  }

  private ErasedTenant next() throws Exception {
    String name = "victim " + ++victims;
    fixture.furnish(name);
    int number = Integer.parseInt(fixture.text("select max(number) from rota.tenant"));
    return new ErasedTenant(name, number, fixture.belongings(number));
  }

  /** Leaves the tenant to the next process. */
  @Override
  public void afterKill(String when) {
    killed.add(when);
  }

  @Override
  public void afterEnd(String json) throws Exception {
    ErasedTenant erased = Objects.requireNonNull(victim);
    ErasureReceipt receipt = ErasureReceipt.parse(json);
    assertThat(receipt.tenant()).isEqualTo(erased.name());
    assertThat(Belongings.of(receipt))
        .as("receipt of %s, erased by processes %s", erased, killed)
        .isEqualTo(erased.belongings());
    assertThat(fixture.leftOf(erased.number()))
        .as("left of %s, erased by processes %s", erased, killed)
        .isEmpty();
    assertThat(fixture.text("select count(*) from rota.erasure where finished_at is null"))
        .isEqualTo("0");
    victim = null;
    killed.clear();
  }

  /**
   * Checks that all tasks of the other tenant ran; its history may have left the database
   * meanwhile.
   */
  void finish() throws Exception {
    Await.until("the bystander's tasks ran", () -> worker.statistics().done(), enqueued);
  }

  @Override
  public void close() {
    worker.close();
    fixture.close();
  }
}
