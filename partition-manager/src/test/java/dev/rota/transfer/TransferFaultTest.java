package dev.rota.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.archive.Archive;
import dev.rota.crash.server.SmallDisk;
import dev.rota.testing.Await;
import dev.rota.transfer.internal.DefaultTenantTransfer;
import dev.rota.transfer.internal.FileObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests transfers whose files fail at any step: the next call completes them, and no data appear
 * before.
 */
@RotaTest
@Tag("exhaustive")
class TransferFaultTest {

  @TempDir private Path folder;
  @Given private TransferFixture source;
  @Given private TransferFixture target;
  private Tenant acme;

  @BeforeEach
  void open() throws Exception {
    acme = source.withArchive("acme");
    source.enrich(acme).settle();
  }

  /**
   * Fails at the first step that files take and at which none has failed; the crash suite breaks
   * all calls to the database.
   */
  private static final class Fault implements FileObserver {
    private final Set<String> struck;

    Fault(Set<String> struck) {
      this.struck = struck;
    }

    @Override
    public void before(String operation) throws IOException {
      reach("before " + operation);
    }

    @Override
    public void after(String operation) throws IOException {
      reach("after " + operation);
    }

    private void reach(String step) throws IOException {
      if (struck.add(step)) {
        throw new IOException("fault " + step);
      }
    }
  }

  /** A move, the steps of whose files are seen. */
  private interface Move {
    void run(FileObserver files) throws Exception;
  }

  /** At how many steps faults struck, until the move came to its end. */
  private static int strike(Move move, BooleanSupplier ended) throws Exception {
    Set<String> struck = new HashSet<>();
    while (!ended.getAsBoolean()) {
      int before = struck.size();
      try {
        move.run(new Fault(struck));
        assertThat(struck).as("a fault goes unnoticed").hasSize(before);
        return before;
      } catch (RotaException e) {
        assertThat(e).hasStackTraceContaining("fault ");
      }
    }
    return struck.size();
  }

  /** The crash suite kills processes at the same steps. */
  @Test
  @Tag("long")
  void bothHalvesGoOnAfterFaults() throws Exception {
    Path export = folder.resolve("export");
    Map<String, List<String>> before = source.state(acme.number());
    int faults =
        strike(
            files ->
                DefaultTenantTransfer.of(source.rota(), source.archive(), files)
                    .exportTenant("acme", export),
            () -> Files.exists(export.resolve("manifest.json")));
    assertThat(faults).isGreaterThan(5);
    assertThat(source.state(acme.number())).isEqualTo(before);
    faults =
        strike(
            files -> {
              assertThat(
                      target.texts("select name from rota.tenant where importing and not closed"))
                  .isEmpty();
              DefaultTenantTransfer.of(target.rota(), target.archive(), files).importTenant(export);
            },
            () -> false);
    assertThat(faults).isPositive();
    Map<String, List<String>> after = target.state(target.rota().tenants().get("acme").number());
    for (Map.Entry<String, List<String>> each : before.entrySet()) {
      assertThat(after.get(each.getKey())).as(each.getKey()).isEqualTo(each.getValue());
    }
    assertThat(target.texts("select count(*) from rota.tenant")).containsExactly("1");
    assertThat(target.staging()).isEmptyDirectory();
  }

  @Test
  void aFullDiskIsToldAndTheNextCallExports() throws Exception {
    Archive archive = source.archive();
    try (SmallDisk disk = SmallDisk.mount(2)) {
      Path small = disk.directory().resolve("export");
      disk.fill();
      assertThatThrownBy(
              () -> TenantTransfer.over(source.rota(), archive).exportTenant("acme", small))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("export tenant 'acme'")
          .hasMessageContaining("check its free space");
      assertThat(small.resolve("manifest.json")).doesNotExist();
    }
    assertThat(
            TenantTransfer.over(source.rota(), archive)
                .exportTenant("acme", folder.resolve("roomy"))
                .count("pending"))
        .isPositive();
  }

  private static void awaitAtLeast(AtomicLong ran, long goal) {
    try {
      Await.atLeast("tasks of another tenant have run", () -> ran.get(), goal);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void othersRunOnWhileATenantIsExported() throws Exception {
    Tenant other = source.rota().tenants().register("other");
    AtomicLong ran = new AtomicLong();
    long[] during = new long[1];
    try (Worker worker =
        source.rota().worker().handle("tick", task -> ran.incrementAndGet()).start()) {
      FileObserver slow =
          new FileObserver() {
            @Override
            public void before(String operation) {
              if (operation.startsWith("write pending")) {
                other.enqueueAll(
                    IntStream.range(0, 100).mapToObj(i -> NewTask.of("tick", "{}")).toList());
                awaitAtLeast(ran, 100);
                during[0]++;
              }
            }
          };
      DefaultTenantTransfer.of(source.rota(), source.archive(), slow)
          .exportTenant("acme", folder.resolve("export"));
      assertThat(worker.statistics()).isNotNull();
    }
    assertThat(during[0]).isPositive();
    try (Batch none = other.claim(10)) {
      assertThat(none.tasks()).isEmpty();
    }
  }
}
