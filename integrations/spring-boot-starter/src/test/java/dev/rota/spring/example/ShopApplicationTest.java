package dev.rota.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the example application over HTTP, with all that Boot configures by itself. */
class ShopApplicationTest {

  private final TestDatabase database = TestDatabase.create();
  private final HttpClient client = HttpClient.newHttpClient();
  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    database.close();
  }

  private ConfigurableApplicationContext start(Mailer mailer) {
    SpringApplication shop = new SpringApplication(ShopApplication.class);
    shop.setRegisterShutdownHook(false);
    shop.addInitializers(
        context ->
            ((GenericApplicationContext) context)
                .registerBean(
                    "testMailer", Mailer.class, () -> mailer, bean -> bean.setPrimary(true)));
    return shop.run(
        "--server.port=0",
        "--spring.main.banner-mode=off",
        "--spring.datasource.url=" + database.jdbcUrl(),
        "--rota.worker.concurrency=1");
  }

  private void send(String to, int attempt) {
    sent.add(to + " " + attempt);
  }

  private int order(ConfigurableApplicationContext shop, String item) throws Exception {
    return send(shop, "/orders/" + item, "POST").statusCode();
  }

  private JsonNode read(ConfigurableApplicationContext shop, String path) throws Exception {
    HttpResponse<String> response = send(shop, path, "GET");
    assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private HttpResponse<String> send(ConfigurableApplicationContext shop, String path, String method)
      throws IOException, InterruptedException {
    String port = shop.getEnvironment().getRequiredProperty("local.server.port");
    URI address = URI.create("http://localhost:" + port + path);
    return client.send(
        HttpRequest.newBuilder(address).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  @Test
  void anOrderSendsAMailWhichMonitoringShows() throws Exception {
    try (ConfigurableApplicationContext shop = start(this::send)) {
      assertThat(order(shop, "book")).isEqualTo(200);
      assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("book@example.org 1");
      Await.until(
          "the worker tells",
          () -> read(shop, "/actuator/rota").at("/worker/sinceStart/done").asLong(),
          1);
      JsonNode process = read(shop, "/actuator/rota");
      assertThat(process.at("/worker/running").asBoolean()).isTrue();
      assertThat(process.at("/worker/kinds").toString()).isEqualTo("[\"email.send\"]");
      Await.until(
          "the daemon leads",
          () -> read(shop, "/actuator/health/rota").at("/details/daemonLeads").asBoolean());
      assertThat(read(shop, "/actuator/rota").at("/daemon/leading").asBoolean()).isTrue();
      JsonNode health = read(shop, "/actuator/health");
      assertThat(health.get("status").asString()).isEqualTo("UP");
      assertThat(health.at("/components/rota/status").asString()).isEqualTo("UP");
      String ended = "/actuator/metrics/rota.tasks.ended?tag=kind:email.send&tag=outcome:done";
      Await.until(
          "the registry counts", () -> read(shop, ended).at("/measurements/0/value").asLong(), 1);
    }
  }

  @Test
  void anOrderThatIsRolledBackLeavesNoTask() throws Exception {
    try (ConfigurableApplicationContext shop = start(this::send)) {
      assertThat(order(shop, "book")).isEqualTo(200);
      assertThat(order(shop, "book")).isEqualTo(500);
      assertThat(order(shop, "pen")).isEqualTo(200);
      assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("book@example.org 1");
      assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("pen@example.org 1");
    }
    assertThat(states()).containsEntry(TaskState.DONE, 2L);
    assertThat(states().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(2);
  }

  @Test
  void aStopWaitsForTheMailAndTheNextProcessSendsTheRest() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ConfigurableApplicationContext shop =
        start(
            (to, attempt) -> {
              sent.add(to);
              end.await();
              sent.add("sent");
            });
    assertThat(order(shop, "book")).isEqualTo(200);
    assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("book@example.org");
    Thread closing = new Thread(shop::close, "closing");
    closing.start();
    Await.until("the stop waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
    assertThat(order(shop, "pen")).as("the web server runs on").isEqualTo(200);
    assertThat(sent).isEmpty();
    end.countDown();
    closing.join(60_000);
    assertThat(closing.isAlive()).isFalse();
    assertThat(sent).containsExactly("sent");
    assertThat(states()).containsEntry(TaskState.DONE, 1L);
    sent.clear();
    try (ConfigurableApplicationContext next = start(this::send)) {
      assertThat(sent.poll(60, TimeUnit.SECONDS)).startsWith("pen@example.org");
    }
  }

  private Map<TaskState, Long> states() {
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      return rota.tenants().get("acme").history().scanStates();
    }
  }
}
