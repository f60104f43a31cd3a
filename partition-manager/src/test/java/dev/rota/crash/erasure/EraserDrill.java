package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.erasure.ErasureFixture;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.processes.JavaProcess;
import dev.rota.processes.Waiting;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/** Tenants that are erased by processes that are killed, while the worker of another runs on. */
final class EraserDrill implements AutoCloseable {

  private final ErasureFixture fixture;
  private final Tenant bystander;
  private final Worker worker;
  private final Map<String, Integer> kills = new TreeMap<>();
  private long enqueued;
  private int victims;

  EraserDrill(Path folder) throws Exception {
    fixture = new ErasureFixture(18, folder);
    bystander = fixture.rota().tenants().register("bystander");
    worker = fixture.rota().worker().handle("k", task -> {}).start();
  }

  /** How often an eraser was killed at each step. */
  Map<String, Integer> kills() {
    return kills;
  }

  int killed() {
    return kills.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Erases one tenant, by one process after the other that each get so far. */
  void eraseOne(IntSupplier steps) throws Exception {
    String name = "victim " + ++victims;
    fixture.furnish(name);
    int number = Integer.parseInt(fixture.text("select max(number) from rota.tenant"));
    List<String> belongings = fixture.belongings(number);
    String said = EraserProcess.FINISHED;
    String plan = "";
    do {
      int step = steps.getAsInt();
      plan += " " + step;
      work();
      try (JavaProcess eraser =
          JavaProcess.start(
              EraserProcess.class,
              fixture.jdbcUrl(),
              fixture.kept().toString(),
              name,
              Integer.toString(step))) {
        said = eraser.nextLine();
        if (said.equals(EraserProcess.FINISHED)) {
          check(name, number, belongings, eraser.nextLine(), plan);
        } else {
          kills.merge(said, 1, Integer::sum);
        }
      }
    } while (!said.equals(EraserProcess.FINISHED));
  }

  private void check(String name, int number, List<String> belongings, String json, String plan)
      throws Exception {
    ErasureReceipt receipt = ErasureReceipt.parse(json);
    assertThat(receipt.tenant()).isEqualTo(name);
    assertThat(ErasureFixture.belongings(receipt))
        .as("receipt of %s, erased by processes killed at%s", name, plan)
        .isEqualTo(belongings);
    assertThat(fixture.leftOf(number)).as("left of %s, killed at%s", name, plan).isEmpty();
    assertThat(fixture.text("select count(*) from rota.erasure where finished_at is null"))
        .isEqualTo("0");
  }

  private void work() {
    enqueued += bystander.enqueueAll(Collections.nCopies(20, NewTask.of("k", "{}"))).size();
  }

  /** All of the other tenant ran; its history may have left the database meanwhile. */
  void finish() throws Exception {
    Waiting.until("the bystander's tasks ran", () -> worker.statistics().done() == enqueued);
  }

  @Override
  public void close() {
    worker.close();
    fixture.close();
  }
}
