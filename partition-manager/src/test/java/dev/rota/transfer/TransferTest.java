package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.TenantExistsException;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.control.Redrive;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.limits.Breaker;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a tenant has the same data after a transfer to another database. */
@RotaTest
@PostgresVersions({15, 18})
class TransferTest {

  @TempDir private Path folder;
  @Given private TransferFixture source;
  @Given private TransferFixture target;

  private TransferReport export(String tenant) {
    return TenantTransfer.over(source.rota(), source.archive())
        .exportTenant(tenant, folder.resolve("export"));
  }

  private TenantTransfer importing() {
    return TenantTransfer.over(target.rota(), target.archive());
  }

  @Test
  @Tag("exhaustive")
  void everythingArrives() throws Exception {
    Tenant acme = source.withArchive("acme");
    Batch running = source.enrich(acme);
    TransferReport exported = export("acme");
    assertThat(exported.count("running")).isEqualTo(7);
    assertThat(exported.count("archived")).isEqualTo(40);
    running.tasks();

    target.rota().tenants().registerAll(List.of("other", "another"));
    TransferReport imported = importing().importTenant(folder.resolve("export"));
    Tenant moved = target.rota().tenants().get("acme");
    assertThat(imported.number()).isEqualTo(moved.number()).isEqualTo(3);
    assertThat(imported.rows()).isEqualTo(exported.rows());

    returnRunning(acme);
    Map<String, List<String>> before = source.state(acme.number());
    Map<String, List<String>> after = target.state(moved.number());
    assertThat(before.get("archive")).isNotEmpty();
    assertThat(before.get("spread")).isEmpty();
    for (Map.Entry<String, List<String>> each : before.entrySet()) {
      assertThat(after.get(each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
    }
    assertThat(target.texts("select key from rota.archive"))
        .isNotEmpty()
        .allMatch(key -> SegmentKey.parse(key).orElseThrow().tenant() == moved.number());
    for (HistoryCounts.Dimension by : HistoryCounts.Dimension.values()) {
      assertThat(moved.history().count(HistoryFilter.all(), by).counts())
          .isEqualTo(acme.history().count(HistoryFilter.all(), by).counts())
          .isNotEmpty();
    }
    assertThat(target.texts("select count(*) from rota_%d.task_free_%<d".formatted(moved.number())))
        .containsExactly("53");
    moved
        .assignments()
        .workers("drivers")
        .remove(IntStream.range(0, 50).mapToObj(Long::valueOf).toList());
    assertThat(target.texts("select count(*) from rota_%d.task_free_%<d".formatted(moved.number())))
        .containsExactly("3");
  }

  @Test
  @Tag("exhaustive")
  void planAndRulesOfATenantMoveWithIt() throws Exception {
    Tenant acme = source.rota().tenants().register("acme");
    source.rota().tenants().register("another");
    Controls before = source.rota().controls();
    before.changePlan("acme", "pro");
    before.changeLimits(Scope.plan("pro"), limits -> limits.tier(2));
    before.changeLimits(Scope.tenant("another"), limits -> limits.tier(3));
    before.changeLimits(Scope.tenant("acme"), TransferTest::all);
    Breaker breaker = Breaker.at(0.5).of(20).within(Duration.ofMinutes(1));
    Scope mail = Scope.tenant("acme").ofKind("mail");
    before.changeLimits(mail, limits -> limits.concurrency(1).breaker(breaker));
    before.pause(mail, "for an hour", Duration.ofHours(1));
    before.pause(Scope.tenant("acme").ofPriority(5), "ticket 4711");
    acme.enqueue(NewTask.of("k", "{}"));
    assertThat(export("acme").count("limits")).isEqualTo(1);

    target.rota().tenants().registerAll(List.of("other", "another"));
    Controls after = target.rota().controls();
    after.changeLimits(Scope.tenant("other"), limits -> limits.weight(3));
    importing().importTenant(folder.resolve("export"), "moved");
    importing().importTenant(folder.resolve("export"), "moved");
    assertThat(after.planOf("moved")).isEqualTo("pro");
    assertThat(ofTenant(after, "moved")).hasSize(3).isEqualTo(ofTenant(before, "acme"));
    assertThat(after.rules()).as("plans stay behind").hasSize(4);
    assertThat(target.number("select count(*) from rota.tenant where quota and payload_quota"))
        .isOne();
    after.changeLimits(Scope.tenant("moved"), limits -> limits.weight(4));
    assertThat(ofTenant(after, "moved")).isNotEqualTo(ofTenant(before, "acme"));
  }

  private static Limits all(Limits none) {
    return none.weight(2.5)
        .tier(-1)
        .concurrency(7)
        .rate(10, Duration.ofMinutes(1))
        .burst(3)
        .maxPending(100)
        .maxPayload(1 << 20, ChronoUnit.DAYS)
        .pool("eu");
  }

  /** The rules of a tenant, without its name. */
  private static List<List<Object>> ofTenant(Controls controls, String tenant) {
    return controls.rules().stream()
        .filter(rule -> rule.scope().tenant().equals(Optional.of(tenant)))
        .map(
            rule ->
                List.<Object>of(
                    rule.scope().kind(), rule.scope().priority(), rule.limits(), rule.pause()))
        .toList();
  }

  /** What it had before it had a quota is more than that allows. */
  @Test
  @Tag("exhaustive")
  void anImportAsksForNoRoom() throws Exception {
    Tenant acme = source.rota().tenants().register("acme");
    acme.enqueueAll(Collections.nCopies(20, NewTask.of("k", "12345")));
    source
        .rota()
        .controls()
        .changeLimits(
            Scope.tenant("acme"), limits -> limits.maxPending(5).maxPayload(10, ChronoUnit.MONTHS));
    export("acme");
    importing().importTenant(folder.resolve("export"), "acme");
    Tenant moved = target.rota().tenants().get("acme");
    assertThat(target.number("select count(*) from rota_1.task_init_1")).isEqualTo(20);
    for (Map.Entry<String, String> call :
        Map.of("1", "maxPending", "1".repeat(11), "maxPayload").entrySet()) {
      assertThatExceptionOfType(QuotaExceededException.class)
          .isThrownBy(() -> moved.enqueue(NewTask.of("k", call.getKey())))
          .satisfies(e -> assertThat(e.limit()).isEqualTo(call.getValue()));
    }
  }

  /** As those of versions that wrote none. */
  @Test
  @Tag("exhaustive")
  void anExportWithoutLimitsIsImported() throws Exception {
    source.rota().tenants().register("acme").enqueue(NewTask.of("k", "{}"));
    assertThat(export("acme").count("limits")).isZero();
    assertThat(folder.resolve("export")).isDirectoryNotContaining("glob:**limits*");
    importing().importTenant(folder.resolve("export"), "acme");
    assertThat(target.rota().controls().planOf("acme")).isEqualTo(Controls.DEFAULT_PLAN);
    assertThat(target.rota().controls().rules()).isEmpty();
  }

  /** As the reaper would, with the words of the export. */
  private void returnRunning(Tenant tenant) throws Exception {
    String when =
        target.texts("select min(finished_at) from rota_3.task_hist_3 where state = 'lost'").get(0);
    source.execute(
        """
        with returned as (
          update rota_1.task_hist_1_%s h set state = 5, error = 'it ran when its tenant was exported',
                 finished_at = '%s' from rota.task_batch b
           where b.id = h.batch_id and b.closed_at is null returning h.*)
        insert into rota_1.task_init_1_0 (id, created_at, parent_id, attempt, kind, payload, key, traits)
        select id, created_at, parent_id, attempt, kind, payload, key, traits from returned"""
            .formatted(source.texts("select current_segment from rota.tenant").get(0), when));
    assertThat(tenant.number()).isEqualTo(1);
  }

  @Test
  void pendingTasksRunInTheirOrderAndNewIdsAreNew() throws Exception {
    source.rota().tenants().register("acme");
    List<Long> ids = new ArrayList<>();
    for (int slot = 0; slot < 3; slot++) {
      source.execute("update rota.tenant set lane_slots[0] = " + slot);
      ids.addAll(enqueueAsNewProducer(100));
    }
    Tenant other = target.rota().tenants().register("other");
    other.enqueue(NewTask.of("k", "{}"));
    TransferReport exported = export("acme");
    assertThat(exported.count("pending")).isEqualTo(300);
    importing().importTenant(folder.resolve("export"), "moved");
    Tenant moved = target.rota().tenants().get("moved");
    List<Long> fresh =
        moved.enqueueAll(IntStream.range(0, 2_000).mapToObj(j -> NewTask.of("k", "{}")).toList());
    assertThat(new HashSet<>(fresh)).hasSize(2_000).doesNotContainAnyElementsOf(ids);
    List<Long> ran = new ArrayList<>();
    while (ran.size() < 300) {
      try (Batch batch = moved.claim(50)) {
        batch.tasks().stream().map(Task::id).forEach(ran::add);
        batch.settle();
      }
    }
    Set<Long> rest = new HashSet<>(fresh);
    assertThat(ran.stream().filter(id -> !rest.contains(id)).toList()).isEqualTo(ids);
  }

  /** One that knows which slot is the current one. */
  private List<Long> enqueueAsNewProducer(int count) {
    try (Rota producer = Rota.connect(source.database().jdbcUrl())) {
      return producer
          .tenants()
          .get("acme")
          .enqueueAll(IntStream.range(0, count).mapToObj(j -> NewTask.of("k", "{}")).toList());
    }
  }

  @Test
  @Tag("exhaustive")
  void aTenantWithNothingMovesAndNamesAreNotTaken() throws Exception {
    Tenant unused = source.tenant("acme");
    source.rota().tenants().close("acme");
    TransferReport exported = export("acme");
    assertThat(exported.rows()).doesNotContainKeys("pending", "history");
    target.rota().tenants().register("acme");
    assertThatThrownBy(() -> importing().importTenant(folder.resolve("export")))
        .isInstanceOf(TenantExistsException.class)
        .hasMessageContaining("tenant 'acme' exists already");
    TransferReport moved = importing().importTenant(folder.resolve("export"), "acme 2");
    assertThat(importing().importTenant(folder.resolve("export"), "acme 2")).isEqualTo(moved);
    assertThat(target.texts("select name || closed from rota.tenant order by number"))
        .containsExactly("acmefalse", "acme 2true");
    assertThat(target.texts("select count(*) from rota.segment where tenant = 2"))
        .containsExactly("2");
  }

  @Test
  @Tag("exhaustive")
  void aParkedTenantMovesWithItsLanesAndGoesOn() throws Exception {
    Tenant acme = source.rota().tenants().register("acme");
    acme.addLane(7);
    TransferReport exported = export("acme");
    assertThat(exported.rows()).doesNotContainKeys("pending", "history");
    assertThat(source.texts("select parked_at is not null from rota.tenant")).containsExactly("t");
    importing().importTenant(folder.resolve("export"));
    Tenant moved = target.rota().tenants().get("acme");
    long id = moved.enqueue(NewTask.of("k", "{}").priority(7));
    assertThat(moved.claim(1).tasks()).extracting(Task::id).containsExactly(id);
  }

  @Test
  void whatIsNoExportIsRefused() throws Exception {
    Path export = folder.resolve("export");
    Tenant acme = source.withArchive("acme");
    assertThatThrownBy(() -> TenantTransfer.over(source.rota()).exportTenant("acme", export))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("has archived history");
    assertThatThrownBy(() -> importing().importTenant(export))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("did not come to its end; repeat it");
    export("acme");
    assertThatThrownBy(() -> export("acme")).hasMessageContaining("holds an export already");
    assertThatThrownBy(() -> TenantTransfer.over(target.rota()).importTenant(export))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("say where the archive of this database is");
    assertThatThrownBy(() -> importing().importTenant(folder.resolve("nothing")))
        .hasMessageContaining("no manifest.json");
    assertThatThrownBy(
            () ->
                TenantTransfer.over(source.rota(), source.archive())
                    .exportTenant("acme", source.kept()))
        .hasMessageContaining("holds something else");
    List<Path> files;
    try (Stream<Path> all = Files.walk(export)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    assertThat(files).hasSizeGreaterThan(6);
    for (Path file : files) {
      byte[] whole = Files.readAllBytes(file);
      byte[] changed = whole.clone();
      changed[changed.length / 2] ^= 4;
      Files.write(file, changed);
      boolean isManifest = file.endsWith("manifest.json");
      if (!isManifest) {
        assertThatThrownBy(() -> importing().importTenant(export))
            .isInstanceOf(TransferException.class)
            .hasMessageContaining("was changed since it was written");
        Files.delete(file);
        assertThatThrownBy(() -> importing().importTenant(export))
            .isInstanceOf(TransferException.class)
            .hasMessageContaining("lacks its file");
      }
      Files.write(file, whole);
    }
    assertThat(target.texts("select name from rota.tenant")).isEmpty();
    assertThat(acme.number()).isEqualTo(1);
  }

  @Test
  @Tag("exhaustive")
  void slotsAreWideIfATaskNeedsThemSo() throws Exception {
    String large = "x".repeat(7_001);
    source.tenant("small").enqueue(NewTask.of("k", "x".repeat(7_000)));
    source.tenant("pending").enqueue(NewTask.of("k", large));
    Tenant past = source.tenant("past");
    past.enqueue(NewTask.of("k", large));
    try (Batch batch = past.claim(1)) {
      batch.dead(batch.tasks().get(0), "gone");
      batch.settle();
    }
    for (String tenant : List.of("small", "pending", "past")) {
      Path files = folder.resolve(tenant);
      TenantTransfer.over(source.rota(), source.archive()).exportTenant(tenant, files);
      TransferReport unused = importing().importTenant(files);
    }
    assertThat(target.texts("select name || wide from rota.tenant order by number"))
        .containsExactly("smallfalse", "pendingtrue", "pasttrue");
    target.tenant("past").control().redrive(Redrive.all());
    for (String tenant : List.of("pending", "past")) {
      assertThat(target.tenant(tenant).claim(9).tasks())
          .extracting(Task::payload)
          .containsExactly(large);
    }
  }
}
