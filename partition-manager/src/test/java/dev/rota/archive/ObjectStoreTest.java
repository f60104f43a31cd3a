package dev.rota.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.crash.server.SmallDisk;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the contract of every store, and the message of each when it cannot work. */
class ObjectStoreTest {

  private static final String KEY = "tenant=7/hour=2030-01-31T08Z/seq=1.parquet";
  private static final String OTHER = "tenant=70/hour=2030-01-31T08Z/seq=1.parquet";

  @TempDir private Path folder;
  private S3Server server;
  private Path kept;

  @BeforeEach
  void start() throws Exception {
    kept = Files.createDirectory(folder.resolve("kept"));
    server = new S3Server(Files.createDirectory(folder.resolve("s3")));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private ObjectStore store(String kind) {
    return kind.equals("folder") ? ObjectStore.folder(kept) : ObjectStore.bucket(server.settings());
  }

  private Path file(String content) throws IOException {
    return Files.writeString(folder.resolve("file"), content);
  }

  @ParameterizedTest
  @ValueSource(strings = {"folder", "s3"})
  void objectsComeAndGo(String kind) throws IOException {
    try (ObjectStore store = store(kind)) {
      assertThat(store.find(KEY)).isEmpty();
      assertThat(store.list("")).isEmpty();
      Path copy = folder.resolve("copy");
      assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> store.fetch(KEY, copy));
      store.put(KEY, file("one"));
      store.put(OTHER, file("of another"));
      store.put(KEY, file("two, longer"));
      assertThat(store.find(KEY)).contains(new ObjectStore.StoredObject(KEY, 11));
      assertThat(store.list("tenant=7/")).containsExactly(new ObjectStore.StoredObject(KEY, 11));
      assertThat(store.list(""))
          .extracting(ObjectStore.StoredObject::key)
          .containsExactly(KEY, OTHER);
      List<String> visited = new ArrayList<>();
      store.visit("tenant=7/", object -> visited.add(object.key()));
      store.visit("", object -> visited.add(object.key()));
      assertThat(visited).containsExactlyInAnyOrder(KEY, KEY, OTHER);
      store.fetch(KEY, copy);
      store.fetch(KEY, copy);
      assertThat(copy).hasContent("two, longer");
      store.delete(KEY);
      store.delete(KEY);
      assertThat(store.find(KEY)).isEmpty();
      assertThat(store.find(OTHER)).isPresent();
      assertThat(store.discardHalfUploads(Duration.ZERO)).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void largeObjectsGoInParts() throws IOException {
    byte[] bytes = new byte[(64 << 20) + 4_321];
    new Random(1).nextBytes(bytes);
    Path large = Files.write(folder.resolve("large"), bytes);
    Path copy = folder.resolve("copy");
    try (ObjectStore store = store("s3")) {
      store.put(KEY, large);
      store.fetch(KEY, copy);
    }
    assertThat(Arrays.equals(Files.readAllBytes(copy), bytes)).isTrue();
  }

  @Test
  void halfFilesAreDiscardedAndNeverListed() throws IOException {
    try (ObjectStore store = store("folder")) {
      store.put(KEY, file("whole"));
      Path half = kept.resolve(KEY + ".0f8fad5b-d9cb-469f-a165-70867728950e.part");
      Files.writeString(half, "ha");
      Path ofOthers = Files.writeString(kept.resolve("download.part"), "not ours");
      assertThat(store.list("")).hasSize(2);
      assertThat(store.discardHalfUploads(Duration.ofDays(1))).as("a put in progress").isZero();
      Files.setLastModifiedTime(half, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
      assertThat(store.discardHalfUploads(Duration.ofDays(1))).isEqualTo(1);
      assertThat(half).doesNotExist();
      assertThat(ofOthers).exists();
      assertThat(store.find(KEY)).isPresent();
    }
  }

  @Test
  void filesThatGoWhileTheyAreListedAreLeftOut() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (ObjectStore store = store("folder")) {
      store.put(OTHER, file("stays"));
      Future<?> changes = other.submit(() -> comeAndGo(kept.resolve("tenant=7")));
      while (!changes.isDone()) {
        assertThat(store.list("")).extracting(ObjectStore.StoredObject::key).contains(OTHER);
        assertThat(store.find(OTHER)).isPresent();
        store.find("tenant=7/0.parquet");
      }
      changes.get();
    } finally {
      other.shutdown();
    }
  }

  /** Many at a time, so that some go between a look at the folder and one at each file. */
  private static Void comeAndGo(Path folder) throws IOException {
    for (int round = 0; round < 50; round++) {
      Files.createDirectories(folder);
      for (int i = 0; i < 200; i++) {
        Files.writeString(folder.resolve(i + ".parquet"), "goes");
      }
      for (int i = 0; i < 200; i++) {
        Files.delete(folder.resolve(i + ".parquet"));
      }
      Files.delete(folder);
    }
    return null;
  }

  @Test
  void foldersThatHoldNothingAnyMoreGo() throws IOException {
    try (ObjectStore store = store("folder")) {
      String nextHour = "tenant=7/hour=2030-01-31T09Z/seq=2.parquet";
      store.put(KEY, file("one"));
      store.put(nextHour, file("two"));
      store.delete(KEY);
      assertThat(kept.resolve("tenant=7/hour=2030-01-31T08Z")).doesNotExist();
      assertThat(store.find(nextHour)).isPresent();
      store.delete(nextHour);
      assertThat(kept).isEmptyDirectory();
    }
  }

  @Test
  void aFolderThatIsNotThereIsNotMade() {
    try (ObjectStore store = ObjectStore.folder(folder.resolve("absent"))) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, file("one")))
          .withMessageContaining("absent is not there; create it, or mount it");
      assertThat(folder.resolve("absent")).doesNotExist();
    }
  }

  @Test
  void aKeyDoesNotLeadOutOfTheFolder() {
    try (ObjectStore store = store("folder")) {
      for (String key : List.of("../file", "/etc/hosts", "")) {
        assertThatIllegalArgumentException().isThrownBy(() -> store.find(key));
      }
    }
  }

  @Test
  void aFailedWriteLeavesNothingInAFolder() throws IOException {
    try (ObjectStore store = store("folder")) {
      Files.writeString(kept.resolve("tenant=7"), "a file where a folder should be");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, file("one")))
          .withMessageContaining("cannot write in the archive's folder " + kept)
          .withMessageContaining("check its free space");
      try (Stream<Path> all = Files.walk(kept)) {
        assertThat(all.filter(Files::isRegularFile)).hasSize(1);
      }
    }
  }

  @Test
  void aFullDiskLeavesTheOldObject() throws Exception {
    Path large = Files.write(folder.resolve("large"), new byte[1 << 20]);
    try (SmallDisk disk = SmallDisk.mount(2);
        ObjectStore store = ObjectStore.folder(disk.directory())) {
      store.put(KEY, file("one"));
      disk.fill();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, large))
          .withMessageContaining("No space left on device; check its free space");
      assertThat(store.find(KEY)).contains(new ObjectStore.StoredObject(KEY, 3));
      assertThat(store.discardHalfUploads(Duration.ZERO)).isZero();
      disk.empty();
      store.put(KEY, large);
      assertThat(store.find(KEY)).contains(new ObjectStore.StoredObject(KEY, 1 << 20));
    }
  }

  @Test
  @Tag("exhaustive")
  void aMissingBucketIsNamed() {
    S3Settings elsewhere =
        S3Settings.of("no-such-bucket")
            .withEndpoint(URI.create("http://127.0.0.1:" + server.port()))
            .withPathStyle(true);
    try (ObjectStore store = ObjectStore.bucket(elsewhere)) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, file("one")))
          .withMessageContaining("bucket 'no-such-bucket'")
          .withMessageContaining("the bucket does not exist; create it, or correct its name");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.fetch(KEY, folder.resolve("copy")))
          .withMessageContaining("the bucket does not exist");
    }
  }

  @Test
  void wrongCredentialsAreNamed() throws IOException {
    S3Server.useCredentials("rota-test", "wrong");
    try (ObjectStore store = store("s3")) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, file("one")))
          .withMessageContaining("the secret access key is wrong");
    } finally {
      S3Server.useCredentials();
    }
    S3Server.useCredentials("nobody", "wrong");
    try (ObjectStore store = store("s3")) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.put(KEY, file("one")))
          .withMessageContaining("the store does not know the access key");
    } finally {
      S3Server.useCredentials();
    }
  }

  @Test
  void addressesAreRead() {
    assertThat(S3Settings.parse("s3://bucket/some/prefix"))
        .isEqualTo(S3Settings.of("bucket").withPrefix("some/prefix/"));
    assertThat(S3Settings.parse("s3://bucket")).isEqualTo(S3Settings.of("bucket"));
    assertThatIllegalArgumentException().isThrownBy(() -> S3Settings.parse("http://bucket/x"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> S3Settings.of("No"))
        .withMessageContaining("3 to 63 characters");
  }
}
