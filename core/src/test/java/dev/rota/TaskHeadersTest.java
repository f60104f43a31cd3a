package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that tasks keep their headers on all ways, and that others cost nothing more. */
@RotaTest
@PostgresVersions({15, 18})
class TaskHeadersTest {

  private static final Map<String, String> HEADERS =
      Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "user", "é");
  private static final NewTask TASK = with(NewTask.of("k", "{\"a\":1}"));
  private static final NewTask PLAIN = NewTask.of("plain", "{}");

  @Given private RotaFixture fixture;
  @Given private Rota rota;
  @Given private Tenant acme;

  private static NewTask with(NewTask task) {
    return task.withHeaders(HEADERS);
  }

  /** Claims tasks, and checks that each has its payload and headers. */
  private Batch claim(int tasks) {
    Batch batch = acme.claim(100);
    assertThat(batch.tasks()).hasSize(tasks);
    for (Task task : batch.tasks()) {
      boolean plain = task.kind().equals(PLAIN.kind());
      assertThat(task.payload()).isEqualTo(plain ? PLAIN.payload() : TASK.payload());
      assertThat(task.headers()).isEqualTo(plain ? Map.of() : HEADERS);
    }
    return batch;
  }

  @Test
  void eachWayOfAnEnqueueStoresThem() throws Exception {
    acme.enqueue(TASK);
    acme.enqueueAll(List.of(TASK, PLAIN, TASK.withParent(7), TASK.priority(5)));
    acme.enqueueAsync(TASK).get();
    acme.enqueue(TASK.withKey("one"));
    acme.enqueue(TASK.withKey(TaskKey.keptFor("two", Duration.ofDays(1))));
    try (Connection connection = fixture.begin()) {
      acme.enqueue(connection, TASK);
      acme.enqueueAll(connection, List.of(PLAIN, TASK));
      connection.commit();
    }
    try (Batch batch = claim(11)) {
      batch.settle();
    }
  }

  @Test
  void theyStayWithRetriesHandBacksPrioritiesAndRedrives() throws Exception {
    long id = acme.enqueue(TASK.after(Duration.ZERO));
    Waiting.intoRing(fixture, 1);
    Batch failing = claim(1);
    failing.fail(failing.tasks().get(0), "later", Duration.ZERO);
    failing.settle();
    Waiting.intoRing(fixture, 1);
    acme.control().changePriority(TaskFilter.all(), 3);
    claim(1).close();
    Batch dying = claim(1);
    dying.dead(dying.tasks().get(0), "for good");
    dying.settle();
    assertThat(acme.control().redrive(Redrive.all())).isOne();
    Waiting.intoRing(fixture, 1);
    claim(1).settle();
    assertThat(acme.history().scanAttempts(id))
        .allSatisfy(
            attempt -> {
              assertThat(attempt.headers()).isEqualTo(HEADERS);
              assertThat(attempt.payload()).isEqualTo(TASK.payload());
            });
    assertThat(acme.control().replay(Replay.of(HistoryFilter.all().states(TaskState.DONE))).tasks())
        .isOne();
    claim(1).settle();
  }

  @Test
  void stagesOfAPipelineKeepThem() {
    Pipeline docs = Pipeline.named("doc").stage("fetch").stage("parse").stage("index").build();
    acme.enqueue(with(docs.task("url")));
    Batch fetch = acme.claim(1);
    fetch.move(fetch.tasks().get(0), docs, StageResult.next("page"));
    fetch.settle();
    Batch parse = acme.claim(1);
    assertThat(parse.tasks().get(0).payload()).isEqualTo("page");
    assertThat(parse.tasks().get(0).headers()).isEqualTo(HEADERS);
    parse.move(parse.tasks().get(0), docs, StageResult.next());
    parse.settle();
    Batch index = acme.claim(1);
    assertThat(index.tasks().get(0).payload()).isEqualTo("page");
    assertThat(index.tasks().get(0).headers()).isEqualTo(HEADERS);
  }

  @Test
  void tasksOfAGraphHaveThem() {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(TASK).dependsOn(graph.add(TASK));
    acme.graphs().enqueue(graph.build());
    claim(1).settle();
    claim(1).settle();
  }

  @Test
  void aNewerVersionBringsItsOwn() {
    acme.enqueue(PLAIN.withKey(TaskKey.versioned("doc", 1)));
    acme.enqueue(with(PLAIN).withKey(TaskKey.versioned("doc", 2)));
    Batch batch = acme.claim(1);
    Task task = batch.tasks().get(0);
    assertThat(task.payload()).isEqualTo("{}");
    assertThat(task.headers()).isEqualTo(HEADERS);
    assertThat(acme.history().scanAttempts(task.id()).get(0).headers()).isEqualTo(HEADERS);
  }

  @Test
  void aScheduleGivesThemToItsTasks() {
    Schedule nightly = Schedule.cron("nightly", "0 3 * * *", TASK);
    acme.schedules().add(nightly);
    Schedule read = acme.schedules().find("nightly").orElseThrow().schedule();
    assertThat(read.task().headers()).isEqualTo(HEADERS);
    assertThat(read.task().payload()).isEqualTo(TASK.payload());
    acme.schedules().run("nightly");
    claim(1).settle();
  }

  @Test
  void sqlReadsThemBesideThePayload() throws Exception {
    acme.enqueueAll(List.of(TASK, PLAIN));
    String columns = "select coalesce(headers::jsonb ->> 'user', '-') || ' ' || payload from ";
    assertThat(fixture.texts(columns + "rota_1.task_init_1 order by 1"))
        .containsExactly("- {}", "é {\"a\":1}");
    claim(2).settle();
    assertThat(fixture.texts(columns + "rota_1.task_hist_1 order by 1"))
        .containsExactly("- {}", "é {\"a\":1}");
  }

  @Test
  void sqlGivesThem() throws Exception {
    String headers =
        HEADERS.entrySet().stream()
            .map(header -> "\"%s\":\"%s\"".formatted(header.getKey(), header.getValue()))
            .collect(Collectors.joining(", ", "{", "}"));
    String enqueue =
        "select rota.enqueue_with_headers('acme', 'k', '{\"a\":1}', '%s'".formatted(headers);
    acme.addLane(4);
    fixture.execute(enqueue + ")");
    fixture.execute(enqueue + ", priority => 4)");
    fixture.execute("select rota.enqueue_with_headers('acme', 'plain', '{}', '{}')");
    fixture.execute("select rota.enqueue_with_headers('acme', 'plain', '{}', null)");
    claim(4).settle();
    for (String bad :
        List.of("[]", "{\"a b\":\"c\"}", "{\"a\":1}", "{\"a\":null}", "{\"\":\"\"}")) {
      assertThatThrownBy(
              () ->
                  fixture.execute(
                      "select rota.enqueue_with_headers('acme', 'k', '{}', '%s')".formatted(bad)))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("header");
    }
    assertThatThrownBy(
            () ->
                fixture.execute(
                    "select rota.enqueue_with_headers('acme', 'k', '{}',"
                        + " jsonb_build_object('a', repeat('x', 1024)))"))
        .hasMessageContaining("headers take 1033 bytes as JSON");
  }

  @Test
  void badOnesAreRefusedBeforeAnythingIsStored() {
    assertRefused(
        PLAIN.withHeader("a b", "c"),
        "header name 'a b' is malformed; it is 1 to 64 characters out of A-Z a-z 0-9 . _ -");
    assertRefused(PLAIN.withHeader("", "c"), "header name '' is malformed");
    assertRefused(PLAIN.withHeader("x".repeat(65), "c"), "is malformed; it is 1 to 64 characters");
    assertRefused(PLAIN.withHeader("a", "b\u0000"), "header a has a NUL at index 1; remove it");
    assertRefused(
        PLAIN.withHeader("a", "x".repeat(1_024)),
        "headers take 1032 bytes as JSON; the limit is 1024: put what is longer into the payload");
    assertRefused(
        NewTask.of("k", "\u0001{}"),
        "payload begins with U+0001, which marks headers; remove it, or use NewTask.withHeader");
    assertThat(acme.claim(1).tasks()).isEmpty();
  }

  private void assertRefused(NewTask task, String message) {
    assertThatThrownBy(() -> acme.enqueue(task))
        .isInstanceOf(InvalidTaskException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> acme.enqueueAll(List.of(PLAIN, task)))
        .isInstanceOf(InvalidTaskException.class)
        .hasMessageContaining("task 1 of the list: ")
        .hasMessageContaining(message);
  }

  @Test
  void headersDoNotCountForThePayloadLimit() {
    Rota small = fixture.another(builder -> builder.payloadLimit(10));
    small.tenants().get("acme").enqueue(with(NewTask.of("k", "1234567890")));
    assertThatThrownBy(
            () -> small.tenants().get("acme").enqueue(with(NewTask.of("k", "12345678901"))))
        .hasMessageContaining("payload has 11 bytes; the limit is 10");
  }

  @Test
  void aTaskWithoutHeadersTakesTheBytesOfItsColumns() throws Exception {
    acme.enqueueAll(IntStream.range(0, 10_000).mapToObj(i -> PLAIN).toList());
    fixture.execute(
        "create table plain (id bigint, created_at timestamptz, parent_id bigint, attempt integer,"
            + " kind text, payload text); alter table plain alter kind set storage plain,"
            + " alter payload set storage plain; insert into plain select id, created_at, parent_id,"
            + " attempt, kind, payload from rota_1.task_init_1_0");
    assertThat(fixture.number("select pg_relation_size('rota_1.task_init_1_0')"))
        .isPositive()
        .isEqualTo(fixture.number("select pg_relation_size('plain')"));
  }

  @Test
  void viewsOfOlderTenantsAreRenewed() throws Exception {
    acme.enqueueAll(List.of(TASK, TASK.priority(5)));
    fixture.execute("drop view rota_1.task_init_1; drop view rota_1.task_hist_1");
    rota.admin().migrate();
    assertThat(fixture.texts("select priority from rota_1.task_init_1 order by 1"))
        .containsExactly("0", "5");
    claim(2).settle();
    assertThat(fixture.number("select count(headers) from rota_1.task_hist_1")).isEqualTo(2);
  }
}
