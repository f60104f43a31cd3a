package dev.rota.cli.database;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.S3Settings;
import dev.rota.cli.common.DurationConverter;
import dev.rota.cli.common.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the archive. Credentials come by the chain of the AWS SDK, never as an option. */
public final class ArchiveOptions {

  private static final String S3 = "s3:";

  @Option(
      names = "--archive",
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      description = "The folder or bucket of the archive.")
  private @Nullable String place;

  @Option(
      names = "--archive-endpoint",
      paramLabel = "URL",
      description = "The address of a store other than Amazon's that speaks S3.")
  private @Nullable URI endpoint;

  @Option(
      names = "--archive-region",
      paramLabel = "NAME",
      description = "The region of the bucket; by default that of the AWS SDK.")
  private @Nullable String region;

  @Option(
      names = "--archive-path-style",
      description = "Put the bucket into the path of URLs, as many other stores need it.")
  private boolean pathStyle;

  @Option(
      names = "--archive-connect-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long to wait until a bucket's store takes a connection; default: 10s.")
  private Duration connect = S3Settings.Timeouts.defaults().connect();

  @Option(
      names = "--archive-silence-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long to wait while nothing comes from it; default: 60s.")
  private Duration silence = S3Settings.Timeouts.defaults().silence();

  @Option(
      names = "--archive-call-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long one attempt of one call may take; default: 15m.")
  private Duration call = S3Settings.Timeouts.defaults().call();

  /** Opens the archive, which the caller closes; empty if none is given. */
  public Optional<Archive> open() {
    return builder().map(Archive.Builder::build);
  }

  /** Returns a builder for commands with further settings; empty if no archive is given. */
  public Optional<Archive.Builder> builder() {
    if (place == null) {
      if (endpoint != null || region != null || pathStyle) {
        throw new UsageException("options of the archive need --archive s3://BUCKET/PREFIX");
      }
      return Optional.empty();
    }
    BundledLibrary.DUCKDB.require("--archive");
    return Optional.of(Archive.in(store(place)));
  }

  private ObjectStore store(String to) {
    if (!to.startsWith(S3)) {
      return ObjectStore.folder(Path.of(to));
    }
    BundledLibrary.S3.require("--archive " + S3 + "//");
    try {
      S3Settings settings =
          S3Settings.parse(to)
              .withPathStyle(pathStyle)
              .withTimeouts(new S3Settings.Timeouts(connect, silence, call));
      if (endpoint != null) {
        settings = settings.withEndpoint(endpoint);
      }
      return ObjectStore.bucket(region == null ? settings : settings.withRegion(region));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    }
  }
}
