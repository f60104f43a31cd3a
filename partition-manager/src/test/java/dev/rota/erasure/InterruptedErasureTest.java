package dev.rota.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.testing.Faults;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Breaks an erasure at each of its steps, and checks that the next one completes it. */
@RotaTest
@PostgresVersions(18)
@Tag("exhaustive")
class InterruptedErasureTest {

  @TempDir Path folder;
  @Given private ErasureFixture fixture;

  /** Breaks the connection, or the store, at one step. */
  private static final class Breaker {
    private final Thread eraser = Thread.currentThread();
    private int last;
    private int count;

    /** Lets everything work up to that step, counted from now. */
    void breakAt(int step) {
      last = step;
      count = 0;
    }

    boolean hasBroken() {
      return count >= last;
    }

    void reach(String call) throws SQLException {
      if (isNext()) {
        throw new SQLException("the connection broke at " + call + ", by order of a test", "08006");
      }
    }

    boolean isNext() {
      return Thread.currentThread().equals(eraser) && ++count == last;
    }
  }

  /** A store whose uses break before or after they are done. */
  private record BreakingStore(ObjectStore store, Breaker breaker) implements ObjectStore {

    private void count() throws IOException {
      if (breaker.isNext()) {
        throw new IOException("the store is away, by order of a test");
      }
    }

    @Override
    public void put(String key, Path file) throws IOException {
      store.put(key, file);
    }

    @Override
    public void fetch(String key, Path file) throws IOException {
      count();
      store.fetch(key, file);
    }

    @Override
    public Optional<StoredObject> find(String key) throws IOException {
      return store.find(key);
    }

    @Override
    public List<StoredObject> list(String prefix) throws IOException {
      count();
      return store.list(prefix);
    }

    @Override
    public void delete(String key) throws IOException {
      count();
      store.delete(key);
      count();
    }

    @Override
    public int discardHalfUploads(Duration age) throws IOException {
      return store.discardHalfUploads(age);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  @Test
  void theReceiptIsWholeWhereverItBreaks() throws Exception {
    fixture.furnish("acme");
    List<String> belongings = fixture.belongings(1);
    Optional<ErasureReceipt> receipt = Optional.empty();
    int breaks = 0;
    Breaker breaker = new Breaker();
    Faults faults = new Faults();
    faults.beforeAnyCall().tell(breaker::reach);
    faults.afterAnyCall().tell(breaker::reach);
    try (Rota rota = fixture.observed(faults);
        Archive archive =
            ErasureFixture.archive(
                new BreakingStore(ObjectStore.folder(fixture.kept()), breaker))) {
      TenantEraser eraser = TenantEraser.builder(rota).archive(archive).build();
      // Each try may do a step more than the one before, up to the one that gets through.
      for (int step = 1; receipt.isEmpty(); step++) {
        breaker.breakAt(step);
        receipt = erase(eraser, breaker);
        breaks++;
      }
    }
    assertThat(breaks).isGreaterThan(20);
    assertThat(Belongings.of(receipt.get())).isEqualTo(belongings);
    assertThat(fixture.leftOf(1)).isEmpty();
    assertThat(fixture.text("select receipt from rota.erasure")).isEqualTo(receipt.get().json());
  }

  private static Optional<ErasureReceipt> erase(TenantEraser eraser, Breaker breaker) {
    try {
      return Optional.of(eraser.erase("acme"));
    } catch (RotaException e) {
      assertThat(breaker.hasBroken()).as("broke by itself: %s", e).isTrue();
      return Optional.empty();
    }
  }

  /** Sets a legal hold at the last moment: when the last look has not come yet. */
  private static Faults holdingLegally(Tenant tenant, String before) {
    Faults faults = new Faults();
    faults
        .before(before)
        .run(() -> tenant.history().changeRetention(policy -> policy.legalHold(true)));
    return faults;
  }

  @Test
  void aLegalHoldThatComesBeforeTheDecisionKeepsEverything() throws Exception {
    fixture.furnish("acme");
    List<String> belongings = fixture.belongings(1);
    Tenant acme = fixture.rota().tenants().get("acme");
    try (Rota rota = fixture.observed(holdingLegally(acme, "lock tenant to erase"));
        Archive archive = fixture.archive()) {
      TenantEraser eraser = TenantEraser.builder(rota).archive(archive).build();
      assertThatExceptionOfType(ErasureRefusedException.class)
          .isThrownBy(() -> eraser.erase("acme"))
          .withMessageContaining("legal hold");
    }
    assertThat(fixture.belongings(1)).isEqualTo(belongings);
    assertThat(fixture.texts("select * from rota.erasure")).isEmpty();
  }

  @Test
  void aLegalHoldThatComesAfterItIsToldThatTheTenantIsGone() throws Exception {
    fixture.furnish("acme");
    Tenant acme = fixture.rota().tenants().get("acme");
    try (Rota rota = fixture.observed(holdingLegally(acme, "erase table"));
        Archive archive = fixture.archive()) {
      TenantEraser eraser = TenantEraser.builder(rota).archive(archive).build();
      assertThatExceptionOfType(RotaException.class)
          .isThrownBy(() -> eraser.erase("acme"))
          .withMessageContaining("no longer in the registry");
      TenantEraser next = TenantEraser.builder(fixture.rota()).archive(archive).build();
      assertThat(next.erase("acme").rows()).isPositive();
    }
    assertThat(fixture.leftOf(1)).isEmpty();
  }
}
