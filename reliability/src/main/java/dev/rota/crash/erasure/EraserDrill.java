package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.Steps;
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
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Erases tenants by processes that are killed, while the worker of another tenant continues. */
final class EraserDrill implements AutoCloseable {

  private final ErasureFixture fixture;
  private final Tenant bystander;
  private final Worker worker;
  private final Map<String, Integer> kills = new TreeMap<>();
  private long enqueued;
  private int victims;

  /** A tenant to erase, with its belongings. */
  private record ErasedTenant(String name, int number, List<String> belongings) {}

  EraserDrill(Path folder) throws Exception {
    fixture = new ErasureFixture(MigratedDatabase.onVersion(18), folder);
    bystander = fixture.rota().tenants().register("bystander");
    worker = fixture.rota().worker().handle("k", task -> {}).start();
  }

  /** The number of killed erasers by step. */
  Map<String, Integer> kills() {
    return kills;
  }

  int killed() {
    return kills.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The names of the steps of an uninterrupted erasure. */
  List<String> list() throws Exception {
    ErasedTenant victim = next();
    try (JavaProcess eraser = eraser(victim, Steps.NONE)) {
      assertThat(eraser.nextLine()).isEqualTo(EraserProcess.FINISHED);
      check(victim, eraser.nextLine(), "nowhere");
      return Steps.parse(eraser.ask("which steps"));
    }
  }

  /** Kills an eraser at each of these steps, erasing as many tenants as that takes. */
  void killAtEach(List<String> steps) throws Exception {
    List<String> left = new ArrayList<>(steps);
    while (!left.isEmpty()) {
      int before = left.size();
      eraseOne(
          () -> {
            left.removeAll(kills.keySet());
            return left.isEmpty() ? Steps.NONE : left.get(0);
          });
      assertThat(left).as("steps that no eraser comes to").hasSizeLessThan(before);
    }
  }

  /** Erases one tenant, by a sequence of processes that each run up to a step. */
  void eraseOne(Supplier<String> steps) throws Exception {
    ErasedTenant victim = next();
    String said = EraserProcess.FINISHED;
    String plan = "";
    do {
      String step = steps.get();
      plan += " " + step;
      work();
      try (JavaProcess eraser = eraser(victim, step)) {
        said = eraser.nextLine();
        if (said.equals(EraserProcess.FINISHED)) {
          check(victim, eraser.nextLine(), plan);
        } else {
          kills.merge(said, 1, Integer::sum);
        }
      }
    } while (!said.equals(EraserProcess.FINISHED));
  }

  private ErasedTenant next() throws Exception {
    String name = "victim " + ++victims;
    fixture.furnish(name);
    int number = Integer.parseInt(fixture.text("select max(number) from rota.tenant"));
    return new ErasedTenant(name, number, fixture.belongings(number));
  }

  private JavaProcess eraser(ErasedTenant victim, String step) throws Exception {
    return JavaProcess.start(
        EraserProcess.class, fixture.jdbcUrl(), fixture.kept().toString(), victim.name(), step);
  }

  private void check(ErasedTenant victim, String json, String plan) throws Exception {
    ErasureReceipt receipt = ErasureReceipt.parse(json);
    assertThat(receipt.tenant()).isEqualTo(victim.name());
    assertThat(Belongings.of(receipt))
        .as("receipt of %s, erased by processes killed at%s", victim, plan)
        .isEqualTo(victim.belongings());
    assertThat(fixture.leftOf(victim.number()))
        .as("left of %s, killed at%s", victim, plan)
        .isEmpty();
    assertThat(fixture.text("select count(*) from rota.erasure where finished_at is null"))
        .isEqualTo("0");
  }

  private void work() {
    enqueued += bystander.enqueueAll(Collections.nCopies(20, NewTask.of("k", "{}"))).size();
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
