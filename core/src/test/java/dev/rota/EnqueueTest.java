package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests enqueues, one by one and in bulk, and refused tasks. */
@RotaTest
class EnqueueTest {

  @Given private static RotaFixture fixture;
  private static int count;
  private Tenant tenant;

  @BeforeEach
  void register() {
    tenant = fixture.rota().tenants().register("tenant " + ++count);
  }

  @Test
  void oneTaskIsStoredWithAllItsParts() {
    long parent = tenant.enqueue(NewTask.of("order.placed", "{}"));
    long id = tenant.enqueue(NewTask.of("A-Z.a_z:0/9", "žluťoučký 🐎\n\t\"'\\").withParent(parent));
    assertThat(tenant.claim(10).tasks())
        .satisfiesExactly(
            first -> assertThat(first.parentId()).isEmpty(),
            task -> {
              assertThat(task.id()).isEqualTo(id).isNotEqualTo(parent);
              assertThat(task.kind()).isEqualTo("A-Z.a_z:0/9");
              assertThat(task.payload()).isEqualTo("žluťoučký 🐎\n\t\"'\\");
              assertThat(task.parentId()).isEqualTo(OptionalLong.of(parent));
              assertThat(task.tenant()).isEqualTo(tenant.name());
              assertThat(task.attempt()).isEqualTo(1);
            });
  }

  @Test
  void thousandsAreStoredInTheirOrderInOneTransaction() throws SQLException {
    int many = 12_345;
    List<Long> ids =
        tenant.enqueueAll(
            IntStream.range(0, many).mapToObj(i -> NewTask.of("k", "task " + i)).toList());
    assertThat(ids).hasSize(many).doesNotHaveDuplicates();
    String slot = "rota_%1$d.task_init_%1$d_0".formatted(tenant.number());
    assertThat(fixture.texts("select id from " + slot + " order by ctid"))
        .isEqualTo(ids.stream().map(String::valueOf).toList());
    assertThat(fixture.texts("select payload from " + slot + " order by ctid"))
        .isEqualTo(IntStream.range(0, many).mapToObj(i -> "task " + i).toList());
    assertThat(fixture.number("select count(distinct xmin::text) from " + slot)).isOne();
  }

  @Test
  void anEmptyListIsNothing() throws SQLException {
    assertThat(tenant.enqueueAll(List.of())).isEmpty();
    try (var connection = fixture.database().connect()) {
      assertThat(tenant.enqueueAll(connection, List.of())).isEmpty();
    }
    assertNothingStored();
  }

  @Test
  void aListIsCheckedBeforeAnyOfItIsStored() {
    List<NewTask> tasks = new ArrayList<>(goodTasks(7_000));
    tasks.set(6_999, NewTask.of("k", "nul\0"));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> tenant.enqueueAll(tasks))
        .withMessageContaining("task 6999 of the list");
    assertNothingStored();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000, 65_536, 1_048_576})
  void theLimitOfPayloadsCountsBytes(int limit) {
    Tenant limited =
        fixture.another(builder -> builder.payloadLimit(limit)).tenants().get(tenant.name());
    for (String character : List.of("x", "é", "€", "🐎")) {
      int width = character.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
      String most = character.repeat(limit / width) + "x".repeat(limit % width);
      assertThat(limited.enqueue(NewTask.of("k", most))).isPositive();
      assertThatExceptionOfType(InvalidTaskException.class)
          .isThrownBy(() -> limited.enqueue(NewTask.of("k", most + "x")))
          .withMessageContaining((limit + 1) + " bytes")
          .withMessageContaining("the limit is " + limit)
          .withMessageContaining("payloadLimit")
          .satisfies(e -> assertThat(e.field()).isEqualTo("payload"));
    }
    try (Batch batch = tenant.claim(10)) {
      assertThat(batch.tasks()).extracting(task -> task.payload().codePointAt(0)).hasSize(4);
      batch.settle();
    }
  }

  @Test
  void theLimitIsSixtyFourKibUnlessConfigured() {
    assertThat(tenant.enqueue(NewTask.of("k", "x".repeat(65_536)))).isPositive();
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> tenant.enqueue(NewTask.of("k", "x".repeat(65_537))));
  }

  static List<BadTask> badTasks() {
    String anyKind = "kind";
    String payload = "payload";
    return List.of(
        new BadTask(NewTask.of("", "{}"), anyKind, "1 to 128 characters"),
        new BadTask(NewTask.of("a b", "{}"), anyKind, "'a b' is malformed"),
        new BadTask(NewTask.of("email;drop", "{}"), anyKind, "A-Z a-z 0-9 . _ : / -"),
        new BadTask(NewTask.of("é", "{}"), anyKind, "'é' is malformed"),
        new BadTask(NewTask.of("k\n", "{}"), anyKind, "'k?' is malformed"),
        new BadTask(NewTask.of("k\0", "{}"), anyKind, "malformed"),
        new BadTask(NewTask.of("k".repeat(129), "{}"), anyKind, "1 to 128 characters"),
        new BadTask(NewTask.of("k", "a\0b"), payload, "a NUL at index 1"),
        new BadTask(NewTask.of("k", "\ud83d"), payload, "a lone surrogate at index 0"),
        new BadTask(NewTask.of("k", "ab\udc0e"), payload, "a lone surrogate at index 2"),
        new BadTask(NewTask.of("k", "\udc0e\ud83d"), payload, "a lone surrogate at index 0"),
        new BadTask(NewTask.of("k", "x".repeat(65_537)), payload, "65537 bytes"),
        new BadTask(NewTask.of("k", "€".repeat(21_846)), payload, "65538 bytes"));
  }

  @ParameterizedTest
  @MethodSource("badTasks")
  void aBadTaskIsRefusedHoweverItIsEnqueued(BadTask bad) throws SQLException {
    assertRefused(bad, -1, () -> tenant.enqueue(bad.task()));
    assertRefused(bad, -1, () -> tenant.enqueueAsync(bad.task()).join());
    List<NewTask> list = List.of(NewTask.of("k", "{}"), NewTask.of("k", "{}"), bad.task());
    assertRefused(bad, 2, () -> tenant.enqueueAll(list));
    try (var connection = fixture.database().connect()) {
      assertRefused(bad, -1, () -> tenant.enqueue(connection, bad.task()));
      assertRefused(bad, 2, () -> tenant.enqueueAll(connection, list));
    }
    assertNothingStored();
  }

  @Test
  void theFirstBadTaskOfAListIsNamed() {
    List<NewTask> tasks = new ArrayList<>(goodTasks(10));
    tasks.set(8, NewTask.of("", "{}"));
    tasks.set(4, NewTask.of("k", "\0"));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> tenant.enqueueAll(tasks))
        .satisfies(
            e -> {
              assertThat(e.index()).hasValue(4);
              assertThat(e.field()).isEqualTo("payload");
            });
  }

  @Test
  void aKindOfOneHundredTwentyEightCharactersIsFine() {
    assertThat(tenant.enqueue(NewTask.of("k".repeat(128), ""))).isPositive();
    assertThat(tenant.claim(1).tasks()).extracting(Task::payload).containsExactly("");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 10_001, Integer.MIN_VALUE})
  void aBatchOfNoneOrTooManyIsRefused(int max) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> tenant.claim(max))
        .withMessageContaining("max is " + max)
        .withMessageContaining("1 to 10000");
  }

  @Test
  void nothingIsMissingFromATask() {
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> NewTask.of(null, "{}"))
        .withMessage("kind");
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> NewTask.of("k", null))
        .withMessage("payload");
  }

  private static void assertRefused(BadTask bad, int index, Runnable call) {
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(call::run)
        .withMessageContaining(bad.message())
        .satisfies(
            e -> {
              assertThat(e.field()).isEqualTo(bad.field());
              assertThat(e.index().orElse(-1)).isEqualTo(index);
              assertThat(e.getMessage().length()).isLessThan(500);
            });
  }

  private void assertNothingStored() {
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  private static List<NewTask> goodTasks(int count) {
    return IntStream.range(0, count).mapToObj(i -> NewTask.of("k", "{}")).toList();
  }

  /** A task, the field that is wrong with it, and what the message says. */
  record BadTask(NewTask task, String field, String message) {

    @Override
    public String toString() {
      return field + ": " + message;
    }
  }
}
