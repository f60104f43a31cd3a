package dev.rota.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import dev.rota.testing.ExampleProgram;
import dev.rota.testing.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** Tests that docs/examples/spring-boot compiles, starts, and runs a task for an order. */
class SpringBootExampleTest {

  private static final String PROPERTIES =
      "docs/examples/spring-boot/src/main/resources/application.properties";

  @TempDir private Path folder;

  @Test
  void anOrderLeadsToAMail() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        ExampleProgram program = ExampleProgram.compile("spring-boot", folder);
        ConfigurableApplicationContext context = start(program, database)) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      HttpRequest order =
          HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/book"))
              .POST(HttpRequest.BodyPublishers.noBody())
              .build();
      assertThat(HttpClient.newHttpClient().send(order, BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      Rota rota = context.getBean(Rota.class);
      Await.until("the mail is sent", () -> isDone(rota));
      assertThat(database.texts("select item from orders")).containsExactly("book");
    }
  }

  @Test
  void theProjectNamesTheseVersions() {
    String pom = Documents.text("docs/examples/spring-boot/pom.xml");
    String parent = Documents.text("pom.xml");
    for (String tag : new String[] {"spring-boot.version", "jooq.version"}) {
      String version = parent.split("<" + tag + ">", 2)[1].split("<", 2)[0];
      assertThat(pom).contains(">" + version + "<");
    }
    String version = parent.split("<version>", 2)[1].split("<", 2)[0];
    assertThat(pom)
        .containsPattern("rota-spring-boot-starter</artifactId>\\s*<version>" + version + "<");
  }

  private static boolean isDone(Rota rota) {
    Map<TaskState, Long> states = rota.tenants().get("acme").history().scanStates();
    return states.getOrDefault(TaskState.DONE, 0L) == 1;
  }

  static ConfigurableApplicationContext start(ExampleProgram program, TestDatabase database)
      throws ClassNotFoundException {
    Class<?> type = program.type("example.Shop");
    SpringApplication application =
        new SpringApplication(new DefaultResourceLoader(type.getClassLoader()), type);
    return application.run(
        "--server.port=0",
        "--spring.flyway.enabled=false",
        "--spring.liquibase.enabled=false",
        "--spring.config.location=" + Documents.home().resolve(PROPERTIES).toUri(),
        "--spring.datasource.url=" + database.jdbcUrl());
  }
}
