package dev.rota.junit;

import dev.rota.NewTask;
import dev.rota.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of docs/testing.md. */
// begin testing
@RotaTest
class InvoiceTest {

  private final List<String> sent = new ArrayList<>();

  @Test
  void remindsAfterTwoWeeks(TestRota rota, Tenant acme) {
    rota.handlers(worker -> worker.handle("remind", task -> sent.add(task.payload())));

    issue(acme, "invoice 7");
    rota.drain(); // runs what is due, in this thread
    rota.assertThat(acme).hasPending("remind").ran("remind").never();

    rota.advance(Duration.ofDays(14)).drain();
    rota.assertThat(acme).ran("remind").once();
  }

  /** The code under test. */
  private static void issue(Tenant tenant, String invoice) {
    tenant.enqueue(NewTask.of("remind", invoice).after(Duration.ofDays(14)));
  }
}
// end testing
