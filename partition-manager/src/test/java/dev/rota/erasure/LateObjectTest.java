package dev.rota.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.StoreAround;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests an archiver that sleeps for so long that its tenant is erased meanwhile. */
@RotaTest
@PostgresVersions(18)
class LateObjectTest {

  private static final String TENANTS_OBJECTS = "tenant=1/";

  @TempDir Path folder;
  @Given private ErasureFixture fixture;

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits before it puts the first object of a tenant, and says when that has come. */
  private static final class SleepyStore extends StoreAround {
    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch awake = new CountDownLatch(1);
    private final CountDownLatch put = new CountDownLatch(1);

    SleepyStore(ObjectStore store) {
      super(store);
    }

    @Override
    public void put(String key, Path file) throws IOException {
      if (!key.startsWith(TENANTS_OBJECTS)) {
        super.put(key, file);
        return;
      }
      asleep.countDown();
      await(awake);
      super.put(key, file);
      put.countDown();
    }
  }

  @Test
  @Tag("exhaustive")
  void theObjectOfAnArchiverThatLostItsLockIsDeletedByTheNext() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    ErasureFixture.work(acme, 5);
    SleepyStore store = new SleepyStore(ObjectStore.folder(fixture.kept()));
    try (Rota rota = Rota.builder(fixture.jdbcUrl()).build();
        Archive archive = ErasureFixture.archive(store);
        RotationDaemon daemon =
            RotationDaemon.builder(rota)
                .archive(archive)
                .rotateEvery(Duration.ofSeconds(1))
                .segmentBytes(0)
                .keepHistory(Duration.ofDays(1))
                .tick(Duration.ofMillis(10))
                .start()) {
      await(store.asleep);
      loseArchiversLock();
      TenantEraser.builder(fixture.rota())
          .archive(fixture.archive())
          .closing(true)
          .build()
          .erase("acme");
      assertThat(fixture.leftOf(1)).isEmpty();
      store.awake.countDown();
      await(store.put);
      Await.until("the late object is deleted", () -> fixture.leftOf(1).isEmpty());
      Await.until("it is counted", () -> daemon.archiveStatistics().deleted(), 1);
    }
  }

  /** Cannot be asked for the objects of a tenant until it is well. */
  private static final class IllStore extends StoreAround {
    private volatile boolean ill = true;

    IllStore(ObjectStore store) {
      super(store);
    }

    @Override
    public List<StoredObject> list(String prefix) throws IOException {
      if (ill && prefix.startsWith(TENANTS_OBJECTS)) {
        throw new IOException("the store is ill");
      }
      return super.list(prefix);
    }
  }

  @Test
  void aStoreThatCannotBeAskedIsToldAndAskedAgain() throws Exception {
    fixture.ownArchive();
    fixture.closedTenant("acme");
    TenantEraser.builder(fixture.rota()).archive(fixture.archive()).build().erase("acme");
    Path late = fixture.kept().resolve(TENANTS_OBJECTS + "hour=2030-01-31T08Z/seq=1.parquet");
    Files.createDirectories(late.getParent());
    Files.writeString(late, "late");
    IllStore store = new IllStore(ObjectStore.folder(fixture.kept()));
    try (Rota rota = Rota.builder(fixture.jdbcUrl()).build();
        Archive archive = ErasureFixture.archive(store);
        RotationDaemon daemon = RotationDaemon.builder(rota).archive(archive).start()) {
      fixture.await(
          "it is noted", "select coalesce(trouble, '') = 'the store is ill' from rota.erasure");
      Await.until("it is counted", () -> daemon.archiveStatistics().failures() > 0);
      assertThat(late).exists();
      store.ill = false;
      fixture.await("it is well", "select trouble is null from rota.erasure");
      assertThat(late).doesNotExist();
      Await.until("the object is counted", () -> daemon.archiveStatistics().deleted(), 1);
    }
  }

  private void loseArchiversLock() throws Exception {
    String holders =
        "select pid from pg_locks where locktype = 'advisory' and granted and objid = '4294967294'"
            + " and database = (select oid from pg_database where datname = current_database())";
    assertThat(fixture.texts("select pg_terminate_backend(pid) from (" + holders + ") h"))
        .containsExactly("t");
    Await.until("the lock is free", () -> fixture.texts(holders).isEmpty());
  }
}
