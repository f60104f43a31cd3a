package dev.rota.archive;

import dev.rota.internal.text.SafeText;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A bucket and how to reach it. Immutable and thread-safe; each method returns a copy.
 *
 * @param bucket the name of the bucket, which must exist
 * @param prefix the prefix of all keys, with a slash at its end, or the empty text
 * @param server its location
 * @param timeouts the timeouts of calls
 */
public record S3Settings(String bucket, String prefix, Server server, Timeouts timeouts) {

  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern ADDRESS = Pattern.compile("s3://([^/]+)/?(.*)");

  /**
   * The location of a bucket.
   *
   * @param region the region; empty for the SDK's choice by environment and profile, or for {@code
   *     us-east-1} if there is an endpoint, which hardly uses it
   * @param endpoint the address of a store other than Amazon's; empty for Amazon's
   * @param pathStyle whether the bucket is in the path of the URL instead of its host name, as many
   *     other stores require
   */
  public record Server(Optional<String> region, Optional<URI> endpoint, boolean pathStyle) {}

  /**
   * The timeouts of calls to a store. The SDK gives up an attempt that takes longer, and repeats it
   * up to three times.
   *
   * @param connect until the store accepts a connection; 10 seconds by default
   * @param silence while no data comes from it; 60 seconds by default
   * @param call for one attempt of one call, however much data comes; 15 minutes by default. Files
   *     above 64 MiB are put in parts, each in a separate call, and fetched in one call
   */
  public record Timeouts(Duration connect, Duration silence, Duration call) {

    /** The upper bound of a timeout. */
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Checks the bounds.
     *
     * @param connect until the store accepts a connection
     * @param silence while no data comes from it
     * @param call for one attempt of one call
     * @throws IllegalArgumentException if one is shorter than a millisecond or longer than a day
     */
    public Timeouts {
      check("connect", connect);
      check("silence", silence);
      check("call", call);
    }

    /**
     * Returns the default timeouts.
     *
     * @return 10 seconds, 60 seconds and 15 minutes
     */
    public static Timeouts defaults() {
      return new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofMinutes(15));
    }

    private static void check(String name, Duration timeout) {
      if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "timeout '" + name + "' is " + timeout + "; use 1 ms to 1 day");
      }
    }
  }

  /**
   * Checks names and completes the prefix.
   *
   * @param bucket the bucket
   * @param prefix the prefix of all keys
   * @param server its location
   * @param timeouts the timeouts of calls
   * @throws IllegalArgumentException if the bucket's name is invalid
   */
  public S3Settings {
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException(
          "bucket is '"
              + SafeText.of(bucket)
              + "'; it takes 3 to 63 characters out of a-z 0-9 . and -, and no capitals");
    }
    if (!prefix.isEmpty() && !prefix.endsWith("/")) {
      prefix = prefix + "/";
    }
  }

  /**
   * Creates settings of a bucket at Amazon.
   *
   * @param bucket its name
   * @return settings with defaults for the rest
   * @throws IllegalArgumentException if the bucket's name is invalid
   */
  public static S3Settings of(String bucket) {
    return new S3Settings(
        bucket, "", new Server(Optional.empty(), Optional.empty(), false), Timeouts.defaults());
  }

  /**
   * Parses an address such as {@code s3://bucket/prefix}.
   *
   * @param address the address
   * @return settings with defaults for the rest
   * @throws IllegalArgumentException if it is not such an address
   */
  public static S3Settings parse(String address) {
    var matcher = ADDRESS.matcher(address);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'"
              + SafeText.of(address)
              + "' is not an address such as s3://bucket or s3://bucket/prefix");
    }
    return of(matcher.group(1)).withPrefix(matcher.group(2));
  }

  /**
   * Returns a copy with a prefix.
   *
   * @param before the prefix of all keys
   * @return the copy
   */
  public S3Settings withPrefix(String before) {
    return new S3Settings(bucket, before, server, timeouts);
  }

  /**
   * Returns a copy with a region.
   *
   * @param name its name, such as {@code eu-central-1}
   * @return the copy
   */
  public S3Settings withRegion(String name) {
    return at(new Server(Optional.of(name), server.endpoint(), server.pathStyle()));
  }

  /**
   * Returns a copy for another store than Amazon's.
   *
   * @param address the address, such as {@code https://objects.example.com}
   * @return the copy
   */
  public S3Settings withEndpoint(URI address) {
    return at(new Server(server.region(), Optional.of(address), server.pathStyle()));
  }

  /**
   * Returns a copy with the bucket in the path of the URL, or in its host name.
   *
   * @param inPath true for the path
   * @return the copy
   */
  public S3Settings withPathStyle(boolean inPath) {
    return at(new Server(server.region(), server.endpoint(), inPath));
  }

  /**
   * Returns a copy with other timeouts.
   *
   * @param limits the timeouts of calls
   * @return the copy
   */
  public S3Settings withTimeouts(Timeouts limits) {
    return new S3Settings(bucket, prefix, server, limits);
  }

  private S3Settings at(Server other) {
    return new S3Settings(bucket, prefix, other, timeouts);
  }
}
