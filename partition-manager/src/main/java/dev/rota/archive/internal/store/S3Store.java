package dev.rota.archive.internal.store;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Stores objects in a bucket. Connects on first use. */
public final class S3Store implements ObjectStore {

  /** The largest file that is put in one request; larger ones are put in parts. */
  public static final long MOST_AT_ONCE = PartUpload.PART_BYTES;

  private static final int NOT_FOUND = 404;

  private final S3Settings settings;
  private final long mostAtOnce;
  private final Consumer<S3ClientBuilder> further;
  private @Nullable S3Client client;

  /** Creates a store over a bucket that need not exist yet. */
  public S3Store(S3Settings settings) {
    this(settings, MOST_AT_ONCE, builder -> {});
  }

  /**
   * Creates a store that puts files of more bytes in parts, with a client that the caller may
   * configure further.
   */
  public S3Store(S3Settings settings, long mostAtOnce, Consumer<S3ClientBuilder> further) {
    this.settings = settings;
    this.mostAtOnce = mostAtOnce;
    this.further = further;
  }

  @Override
  public void put(String key, Path file) throws IOException {
    long bytes = Files.size(file);
    reach(
        "write",
        s3 -> {
          if (bytes > mostAtOnce) {
            new PartUpload(s3, settings.bucket(), settings.prefix() + key).put(file, bytes);
          } else {
            s3.putObject(
                request -> request.bucket(settings.bucket()).key(settings.prefix() + key),
                RequestBody.fromFile(file));
          }
          return true;
        });
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    Files.deleteIfExists(file);
    boolean found =
        reach(
            "read",
            s3 ->
                unlessMissing(
                    () -> {
                      s3.getObject(
                          request -> request.bucket(settings.bucket()).key(settings.prefix() + key),
                          ResponseTransformer.toFile(file));
                      return true;
                    },
                    false));
    if (!found) {
      throw new NoSuchFileException(key);
    }
  }

  @Override
  public Optional<StoredObject> find(String key) throws IOException {
    return reach(
        "read",
        s3 ->
            unlessMissing(
                () -> {
                  var head =
                      s3.headObject(
                          request ->
                              request.bucket(settings.bucket()).key(settings.prefix() + key));
                  return Optional.of(new StoredObject(key, head.contentLength()));
                },
                Optional.empty()));
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    List<StoredObject> found = new ArrayList<>();
    visit(prefix, found::add);
    found.sort(Comparator.comparing(StoredObject::key));
    return found;
  }

  /** Reports the objects page by page; a page has a thousand of them. */
  @Override
  public void visit(String prefix, Consumer<StoredObject> visitor) throws IOException {
    reach(
        "list",
        s3 -> {
          s3.listObjectsV2Paginator(
                  request -> request.bucket(settings.bucket()).prefix(settings.prefix() + prefix))
              .contents()
              .forEach(each -> visitor.accept(new StoredObject(relative(each.key()), each.size())));
          return true;
        });
  }

  @Override
  public void delete(String key) throws IOException {
    reach(
        "delete",
        s3 ->
            unlessMissing(
                () -> {
                  s3.deleteObject(
                      request -> request.bucket(settings.bucket()).key(settings.prefix() + key));
                  return true;
                },
                false));
  }

  /**
   * Aborts unfinished uploads. Other programs may use the same bucket: only uploads with the key of
   * an archive's object are Rota's. Only files of segments are large enough to be put in parts.
   */
  @Override
  public int discardHalfUploads(Duration age) throws IOException {
    return reach(
        "list",
        s3 -> {
          List<MultipartUpload> halves =
              s3
                  .listMultipartUploadsPaginator(
                      request ->
                          request
                              .bucket(settings.bucket())
                              .prefix(settings.prefix() + SegmentKey.prefix()))
                  .uploads()
                  .stream()
                  .filter(half -> isOlder(half.initiated(), age))
                  .toList();
          for (MultipartUpload half : halves) {
            new PartUpload(s3, settings.bucket(), half.key()).abort(half.uploadId());
          }
          return halves.size();
        });
  }

  /** Whether an upload began that long ago. Some stores do not tell when it began. */
  private static boolean isOlder(@Nullable Instant begun, Duration age) {
    return begun != null && !begun.isAfter(Instant.now().minus(age));
  }

  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
      client = null;
    }
  }

  @Override
  public String toString() {
    return "bucket '"
        + settings.bucket()
        + "'"
        + settings.server().endpoint().map(endpoint -> " at " + endpoint).orElse("");
  }

  private String relative(String key) {
    return key.substring(settings.prefix().length());
  }

  private <T> T reach(String action, Function<S3Client, T> work) throws IOException {
    try {
      return work.apply(client());
    } catch (SdkException e) {
      throw new IOException(
          "cannot " + action + " in the archive's " + this + ": " + S3Errors.explain(e), e);
    }
  }

  private static <T> T unlessMissing(Supplier<T> work, T missing) {
    try {
      return work.get();
    } catch (NoSuchKeyException e) {
      return missing;
    } catch (S3Exception e) {
      // A HEAD has no body, so only its status code is known; a missing bucket is detected
      // separately.
      if (e.statusCode() == NOT_FOUND && !S3Errors.isMissingBucket(e)) {
        return missing;
      }
      throw e;
    }
  }

  private synchronized S3Client client() {
    if (client == null) {
      client = connect();
    }
    return client;
  }

  private S3Client connect() {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(settings.timeouts().connect())
                    .socketTimeout(settings.timeouts().silence()))
            .overrideConfiguration(
                options -> options.apiCallAttemptTimeout(settings.timeouts().call()))
            .forcePathStyle(settings.server().pathStyle())
            // Many other stores do not support the checksums that the SDK adds otherwise; each file
            // is read back and compared in any case.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
    settings.server().endpoint().ifPresent(builder::endpointOverride);
    settings
        .server()
        .region()
        .or(() -> settings.server().endpoint().map(endpoint -> Region.US_EAST_1.id()))
        .ifPresent(region -> builder.region(Region.of(region)));
    further.accept(builder);
    return builder.build();
  }
}
