package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantEditor;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests registering, finding and listing tenants. */
@RotaTest
class TenantsTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private static final BoundStatement<List<Long>> SCANS =
      BoundStatement.query(
          new Sql("count scans", "select pg_stat_get_xact_numscans('rota.tenant'::regclass)"),
          row -> row.getLong(1));

  @Given private static RotaFixture fixture;
  private static Tenants tenants;

  @BeforeAll
  static void open() {
    tenants = fixture.rota().tenants();
  }

  @Test
  void registeringAgainFindsTheSameTenant() throws SQLException {
    Tenant first = tenants.register("again");
    first.enqueue(TASK);
    Tenant second = tenants.register("again");
    Tenant elsewhere = fixture.another().tenants().register("again");
    assertThat(second.number()).isEqualTo(first.number());
    assertThat(elsewhere.number()).isEqualTo(first.number());
    assertThat(elsewhere.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
    assertThat(fixture.number("select count(*) from rota.tenant where name = 'again'")).isOne();
  }

  @Test
  void manyAreReturnedInTheOrderOfTheirNames() {
    List<String> names = List.of("m3", "m1", "m3", "m2", "m1");
    assertThat(tenants.registerAll(names))
        .extracting(Tenant::name)
        .containsExactlyElementsOf(names);
    assertThat(tenants.registerAll(names))
        .extracting(Tenant::number)
        .satisfies(
            numbers -> {
              assertThat(numbers.get(0)).isEqualTo(numbers.get(2));
              assertThat(numbers.get(1)).isEqualTo(numbers.get(4));
              assertThat(numbers).doesNotContainNull();
            });
    assertThat(tenants.registerAll(List.of())).isEmpty();
  }

  @Test
  void processesThatRegisterTheSameNamesAtOnceAgree() throws Exception {
    int threads = 8;
    List<Rota> rotas = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      rotas.add(fixture.another());
    }
    List<String> names = IntStream.range(0, 30).mapToObj(i -> "contended " + i).toList();
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Callable<List<Integer>>> registrations = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      Tenants own = rotas.get(thread % rotas.size()).tenants();
      boolean together = thread < threads / 2;
      List<String> shuffled = new ArrayList<>(names);
      Collections.shuffle(shuffled, new Random(thread));
      registrations.add(
          () -> {
            start.await(30, TimeUnit.SECONDS);
            if (together) {
              own.registerAll(shuffled);
            } else {
              shuffled.forEach(own::register);
            }
            return names.stream().map(name -> own.get(name).number()).toList();
          });
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<List<Integer>> numbers = new ArrayList<>();
      for (Future<List<Integer>> registration : executor.invokeAll(registrations)) {
        numbers.add(registration.get());
      }
      assertThat(numbers.get(0)).doesNotHaveDuplicates();
      assertThat(numbers).containsOnly(numbers.get(0));
    } finally {
      executor.shutdownNow();
    }
    assertThat(fixture.number("select count(*) from rota.tenant where name ~ '^contended '"))
        .isEqualTo(30);
    names.forEach(name -> assertThat(tenants.get(name).enqueue(TASK)).isPositive());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "🦊",
        "Ünïcødé 株式会社",
        "it's",
        "a \"quoted\" name",
        "two\nlines",
        "back\\slash",
        "'); drop table rota.tenant; --",
        "rota.tenant",
        " padded ",
        "%s ? {0} ${x} :y",
        "UPPER",
        "upper"
      })
  @Tag("exhaustive")
  void anyTextIsAName(String name) {
    Tenant tenant = tenants.register(name);
    long id = tenant.enqueue(TASK);
    Tenant elsewhere = fixture.another().tenants().get(name);
    assertThat(elsewhere.number()).isEqualTo(tenant.number());
    assertThat(elsewhere.name()).isEqualTo(name);
    try (Batch batch = elsewhere.claim(1)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      assertThat(batch.tasks()).extracting(Task::tenant).containsExactly(name);
      batch.settle();
    }
    assertThat(tenants.list()).extracting(TenantInfo::name).contains(name);
  }

  @Test
  void aNameHasUpToTwoHundredCharactersHoweverLongInBytes() {
    assertThat(tenants.register("🦊".repeat(200)).number()).isPositive();
    assertThat(tenants.register("x".repeat(200)).number()).isPositive();
    assertInvalid("🦊".repeat(201), "201 characters");
    assertInvalid("x".repeat(201), "1 to 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
  void aBlankNameIsRefused(String name) {
    assertInvalid(name, "not all of them blank");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NUL", "high", "low"})
  void aNameThatCannotBeStoredIsRefused(String which) {
    String name =
        switch (which) {
          case "NUL" -> "nul\0byte";
          case "high" -> "ab\ud83d";
          default -> "\udd8aab";
        };
    assertInvalid(name, which.equals("NUL") ? "a NUL at index 3" : "a lone surrogate at index");
    int before = tenants.list().size();
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> tenants.registerAll(List.of("fine " + which, name)));
    assertThat(tenants.list()).hasSize(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NUL", "surrogate", "plain"})
  void aNameThatNobodyHasIsUnknown(String which) {
    String name =
        switch (which) {
          case "NUL" -> "no\0body";
          case "surrogate" -> "no\ud83dbody";
          default -> "nobody";
        };
    tenants.register("no?body");
    assertThat(tenants.find(name)).isEmpty();
    assertUnknown(() -> tenants.get(name));
    assertUnknown(() -> tenants.close(name));
    assertUnknown(() -> tenants.reopen(name));
    assertUnknown(() -> tenants.rename(name, "somebody"));
    assertThat(tenants.find("somebody")).isEmpty();
  }

  @Test
  void theListIsInTheOrderOfTheNumbers() {
    tenants.registerAll(List.of("z of the list", "a of the list"));
    tenants.close("a of the list");
    List<TenantInfo> all = tenants.list();
    assertThat(all).extracting(TenantInfo::number).isSorted().doesNotHaveDuplicates();
    assertThat(all)
        .filteredOn(info -> info.name().endsWith("of the list"))
        .allSatisfy(
            info -> {
              assertThat(info.closed()).isEqualTo(info.name().startsWith("a"));
              assertThat(info.createdAt()).isAfter(java.time.Instant.EPOCH);
            });
  }

  @Test
  void moreThanOneTransactionTakesAreRegistered() {
    List<String> names = IntStream.range(0, 2_500).mapToObj(i -> "of many " + i).toList();
    assertThat(tenants.registerAll(names))
        .extracting(Tenant::name)
        .containsExactlyElementsOf(names);
    assertThat(tenants.registerAll(names)).extracting(Tenant::number).doesNotHaveDuplicates();
  }

  /** With a hundred thousand tenants, each registration would take long otherwise. */
  @Test
  void registeringOneReadsNoOthers() throws SQLException {
    tenants.registerAll(IntStream.range(0, 2_000).mapToObj(i -> "other " + i).toList());
    fixture.execute("analyze rota.tenant");
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    TenantEditor editor = new TenantEditor(kernel.tables());
    long scans =
        kernel
            .database()
            .transaction(
                "register and rename",
                session -> {
                  // The server counts what this connection did before, too.
                  long before = session.run(SCANS).get(0);
                  editor.requireFree(session, "one more");
                  editor.register(session, List.of("one more"));
                  assertThat(editor.rename(session, "one more", "renamed")).isTrue();
                  return session.run(SCANS).get(0) - before;
                });
    assertThat(scans).as("sequential scans of the registry").isZero();
  }

  @Test
  void aSchemaOfOthersWithTheNextNumberIsReportedAndKept() throws SQLException {
    long next = fixture.number("select last_value + 1 from rota.tenant_number_seq");
    fixture.execute("create schema rota_" + next + " create table mine (n int)");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenants.register("in the way"))
        .withMessageContaining("'in the way'")
        .withMessageContaining("already exists");
    assertThat(tenants.find("in the way")).isEmpty();
    assertThat(tenants.register("in the way").enqueue(TASK)).isPositive();
    assertThat(fixture.number("select count(*) from rota_" + next + ".mine")).isZero();
  }

  private static void assertInvalid(String name, String message) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> tenants.register(name))
        .withMessageContaining(message);
    tenants.register("to be renamed");
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> tenants.rename("to be renamed", name))
        .withMessageContaining(message);
  }

  private static void assertUnknown(Runnable call) {
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(call::run)
        .withMessageContaining("register it");
  }
}
