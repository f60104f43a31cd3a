package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the cost of lanes: a tenant without further lanes sends the same statements as before,
 * whatever others have.
 */
@RotaTest
class LaneCostTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  @Given private RotaFixture fixture;
  private Tenant plain;
  private Tenant laned;

  @BeforeEach
  void open() {
    fixture.rota().tenants().registerAll(List.of("plain", "laned"));
    fixture.rota().tenants().get("laned").addLane(5);
    Faults faults = new Faults();
    // Ids are drawn ahead, and heartbeats sent, in the background.
    faults
        .beforeAnyCall()
        .byThreads(thread -> !thread.getName().startsWith("rota-background"))
        .tell(calls::add);
    Rota watched =
        fixture.observed(faults, builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    plain = watched.tenants().get("plain");
    laned = watched.tenants().get("laned");
    // The first claim of a tenant measures the slots in which it finds nothing.
    plain.enqueue(MAIL);
    plain.claim(1).settle();
    laned.enqueue(MAIL);
    laned.claim(1).settle();
    calls.clear();
  }

  @Test
  void aTenantWithoutLanesSendsNoFurtherStatement() {
    plain.enqueue(MAIL);
    assertThat(taken()).containsExactly("report counters", "enqueue", "commit");
    plain.enqueueAll(Collections.nCopies(9, MAIL));
    assertThat(taken()).containsExactly("enqueue", "commit");
    try (Batch batch = plain.claim(100)) {
      assertThat(taken())
          .as("one statement a slot, since all of them are asked for")
          .containsExactly("gate", "claim", "claim", "claim", "open batches", "commit");
      batch.settle();
    }
    assertThat(taken()).containsExactly("close batches", "commit");
  }

  @Test
  void aLaneCostsAStatementWhereItHoldsTasks() {
    laned.enqueueAll(List.of(MAIL, MAIL.priority(5), MAIL));
    assertThat(taken()).containsExactly("enqueue", "enqueue", "commit");
    try (Batch batch = laned.claim(100)) {
      assertThat(taken())
          .containsExactly(
              "gate",
              "claim",
              "claim",
              "claim",
              "claim",
              "claim",
              "claim",
              "open batches",
              "commit");
      batch.settle();
    }
    assertThat(taken()).containsExactly("close batches", "commit");
  }

  private List<String> taken() {
    List<String> taken = List.copyOf(calls);
    calls.clear();
    return taken;
  }
}
