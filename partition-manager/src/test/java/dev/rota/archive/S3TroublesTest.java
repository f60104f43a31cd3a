package dev.rota.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Tests a slow, failing or unavailable store: the messages are clear, and the store is used again
 * when it recovers.
 */
@Tag("exhaustive")
class S3TroublesTest {

  private static final String KEY = "tenant=7/hour=2030-01-31T08Z/seq=1.parquet";
  private static final int LARGE = (64 << 20) + 1;
  private static final Duration BRIEF = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir private static Path ofServer;
  private static S3Server server;

  @TempDir private Path folder;
  private FaultyRelay relay;
  private ObjectStore store;

  @BeforeAll
  static void start() throws Exception {
    server = new S3Server(ofServer);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void open() throws IOException {
    relay = new FaultyRelay(server.port());
    store = store(new S3Settings.Timeouts(LONG, LONG, LONG));
  }

  private ObjectStore store(S3Settings.Timeouts timeouts) {
    return ObjectStore.bucket(S3Server.settings(relay.port()).withTimeouts(timeouts));
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    relay.close();
    try (ObjectStore direct = ObjectStore.bucket(server.settings())) {
      direct.delete(KEY);
    }
  }

  private Path file(int bytes) throws IOException {
    return Files.write(folder.resolve("file"), new byte[bytes]);
  }

  private void assertPutFails(Path file, String words) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> store.put(KEY, file))
        .withMessageContaining("bucket '" + S3Server.BUCKET + "'")
        .withMessageContaining(words);
  }

  private void assertWorks(Path file) throws IOException {
    store.put(KEY, file);
    assertThat(store.find(KEY)).contains(new ObjectStore.StoredObject(KEY, Files.size(file)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          403 Forbidden           | RequestTimeTooSkewed         | the clock of this machine differs too much
          403 Forbidden           | AccessDenied                 | they need GetObject, PutObject
          403 Forbidden           |                              | refuses these credentials, or the clock
          400 Bad Request         | AuthorizationHeaderMalformed | the region is not that of the bucket
          400 Bad Request         | ExpiredToken                 | the session token has expired
          301 Moved Permanently   | PermanentRedirect            | in another region; set the region
          500 Internal Error      | InternalError                | the store has trouble of its own
          503 Service Unavailable | SlowDown                     | asks for fewer requests; it is tried again
          507 Full                | InsufficientStorage          | the store is full""")
  void whatTheStoreAnswersIsExplained(String status, String code, String words) throws IOException {
    String error = code == null ? "" : "<Error><Code>" + code + "</Code></Error>";
    relay.answer(100, status, error);
    Path file = file(3);
    assertPutFails(file, words);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> store.fetch(KEY, folder.resolve("copy")))
        .withMessageContaining(words);
    relay.heal();
    assertThat(store.find(KEY)).isEmpty();
    assertWorks(file);
  }

  @Test
  void errorsOfTheServerAreTriedAgain() throws IOException {
    relay.answer(1, "503 Slow Down", "<Error><Code>SlowDown</Code></Error>");
    assertWorks(file(3));
    relay.answer(1, "500 Internal Error", "<Error><Code>InternalError</Code></Error>");
    store.fetch(KEY, folder.resolve("copy"));
  }

  @Test
  void aStoreThatSaysNothingIsGivenUp() throws IOException {
    Path file = file(3);
    try (ObjectStore hurried = store(new S3Settings.Timeouts(LONG, BRIEF, LONG))) {
      relay.fallSilent();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> hurried.put(KEY, file))
          .withMessageContaining("bucket '" + S3Server.BUCKET + "'")
          .withMessageContaining(
              "no complete answer came (Read timed out); check endpoint and network");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> hurried.list(""))
          .withMessageContaining("no complete answer came");
      relay.heal();
      assertWorks(file);
      relay.fallSilent();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> hurried.delete(KEY))
          .withMessageContaining("no complete answer came");
    }
    relay.heal();
    store.delete(KEY);
    assertThat(store.find(KEY)).isEmpty();
  }

  @Test
  void aCallThatTakesTooLongIsGivenUp() throws IOException {
    Path file = file(3);
    try (ObjectStore hurried = store(new S3Settings.Timeouts(LONG, LONG, BRIEF))) {
      relay.fallSilent();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> hurried.put(KEY, file))
          .withMessageContaining("no complete answer came (");
    }
    relay.heal();
    assertWorks(file);
  }

  @Test
  void timeoutsHaveBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new S3Settings.Timeouts(LONG, Duration.ZERO, LONG))
        .withMessageContaining("timeout 'silence' is PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new S3Settings.Timeouts(LONG, LONG, Duration.ofDays(2)))
        .withMessageContaining("timeout 'call' is PT48H");
  }

  @Test
  void aStoreThatIsAwayIsNamed() throws IOException {
    Path file = file(3);
    relay.close();
    assertPutFails(
        file, "no complete answer came (Connection refused); check endpoint and network");
  }

  @Test
  void aPutThatIsCutLeavesNothing() throws IOException {
    Path file = file(5 << 20);
    relay.cutAfter(1 << 20);
    assertPutFails(file, "no complete answer came");
    relay.heal();
    assertThat(store.find(KEY)).isEmpty();
    assertThat(store.discardHalfUploads(Duration.ZERO)).isZero();
    assertWorks(file);
  }

  @Test
  void aPutInPartsThatIsCutLeavesTheOldObjectAndNoParts() throws IOException {
    assertWorks(file(3));
    Path large = file(LARGE);
    relay.cutAfter(1 << 20);
    assertPutFails(large, "no complete answer came");
    relay.heal();
    assertThat(store.find(KEY)).contains(new ObjectStore.StoredObject(KEY, 3));
    assertThat(store.discardHalfUploads(Duration.ZERO)).as("what was not aborted at once").isZero();
    assertWorks(large);
    assertThat(store.list("")).hasSize(1);
  }

  @Test
  void halfUploadsOfAKilledArchiverAreDiscarded() throws IOException {
    try (S3Client client = client()) {
      String ours = begin(client, "of/rota/" + KEY);
      client.uploadPart(
          part -> part.bucket(S3Server.BUCKET).key("of/rota/" + KEY).uploadId(ours).partNumber(1),
          RequestBody.fromBytes(new byte[5 << 20]));
      begin(client, "of/rota/tenant=8/hour=2030-01-31T08Z/seq=1.parquet");
      String ofOthers = begin(client, "of/others/video");
      assertThat(store.list("")).isEmpty();
      assertThat(store.discardHalfUploads(Duration.ofHours(1))).as("old ones").isZero();
      assertThat(store.discardHalfUploads(Duration.ZERO)).isEqualTo(2);
      assertThat(store.discardHalfUploads(Duration.ZERO)).isZero();
      assertThat(client.listMultipartUploads(all -> all.bucket(S3Server.BUCKET)).uploads())
          .singleElement()
          .satisfies(left -> assertThat(left.uploadId()).isEqualTo(ofOthers));
    }
  }

  private static String begin(S3Client client, String key) {
    return client
        .createMultipartUpload(upload -> upload.bucket(S3Server.BUCKET).key(key))
        .uploadId();
  }

  private S3Client client() {
    return S3Client.builder()
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .endpointOverride(S3Server.settings(server.port()).server().endpoint().orElseThrow())
        .region(Region.US_EAST_1)
        .forcePathStyle(true)
        .build();
  }
}
