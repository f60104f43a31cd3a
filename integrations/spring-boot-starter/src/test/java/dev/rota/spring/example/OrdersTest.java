package dev.rota.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.junit.TestRota;
import dev.rota.spring.AutoConfigureRota;
import dev.rota.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The example of docs/testing.md. */
// begin spring
@SpringBootTest
@AutoConfigureRota
@Import(OrdersTest.Outbox.class)
class OrdersTest {

  @Autowired private TestRota rota;
  @Autowired private Orders orders;
  @Autowired private Outbox outbox;

  @Test
  void anOrderIsConfirmedByMail() {
    orders.order("book"); // enqueues in its transaction
    assertThat(outbox.mails).isEmpty();
    rota.drain(); // calls the methods with @RotaHandler, in this thread
    assertThat(outbox.mails).containsExactly("book@example.org");
  }

  // end spring

  /** Stays until the server of this JVM stops, as the context does. */
  private static final TestDatabase DATABASE = TestDatabase.create();

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry properties) {
    properties.add("spring.datasource.url", DATABASE::jdbcUrl);
  }

  /** Keeps mails instead of sending them. */
  @Primary
  static class Outbox implements Mailer {
    private final List<String> mails = new ArrayList<>();

    @Override
    public void send(String to, int attempt) {
      mails.add(to);
    }
  }
}
