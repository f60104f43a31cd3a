package dev.rota.archive;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A bucket and how to reach it. Immutable and thread-safe; each method returns a copy.
 *
 * @param bucket the name of the bucket, which must exist
 * @param prefix what all keys begin with, with a slash at its end, or the empty text
 * @param region the region; empty for what the SDK finds in environment and profile, or {@code
 *     us-east-1} if there is an endpoint, which then hardly cares
 * @param endpoint the address of a store other than Amazon's; empty for Amazon's
 * @param pathStyle whether the bucket stands in the path of the URL instead of its host name, as
 *     many other stores need it
 */
public record S3Settings(
    String bucket,
    String prefix,
    Optional<String> region,
    Optional<URI> endpoint,
    boolean pathStyle) {

  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern ADDRESS = Pattern.compile("s3://([^/]+)/?(.*)");

  /**
   * Checks names and completes the prefix.
   *
   * @param bucket the bucket
   * @param prefix the beginning of all keys
   * @param region the region
   * @param endpoint the address of the store
   * @param pathStyle whether the bucket stands in the path
   * @throws IllegalArgumentException if the bucket's name cannot be one
   */
  public S3Settings {
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException(
          "bucket is '"
              + bucket
              + "'; it takes 3 to 63 characters out of a-z 0-9 . and -, and no capitals");
    }
    if (!prefix.isEmpty() && !prefix.endsWith("/")) {
      prefix = prefix + "/";
    }
  }

  /**
   * A bucket at Amazon.
   *
   * @param bucket its name
   * @return settings with defaults for the rest
   * @throws IllegalArgumentException if the bucket's name cannot be one
   */
  public static S3Settings of(String bucket) {
    return new S3Settings(bucket, "", Optional.empty(), Optional.empty(), false);
  }

  /**
   * From an address such as {@code s3://bucket/prefix}.
   *
   * @param address the address
   * @return settings with defaults for the rest
   * @throws IllegalArgumentException if it is no such address
   */
  public static S3Settings parse(String address) {
    var matcher = ADDRESS.matcher(address);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + address + "' is not an address such as s3://bucket or s3://bucket/prefix");
    }
    return of(matcher.group(1)).withPrefix(matcher.group(2));
  }

  /**
   * With a prefix.
   *
   * @param before what all keys begin with
   * @return a copy with it
   */
  public S3Settings withPrefix(String before) {
    return new S3Settings(bucket, before, region, endpoint, pathStyle);
  }

  /**
   * In a region.
   *
   * @param name its name, such as {@code eu-central-1}
   * @return a copy with it
   */
  public S3Settings withRegion(String name) {
    return new S3Settings(bucket, prefix, Optional.of(name), endpoint, pathStyle);
  }

  /**
   * At another store than Amazon's.
   *
   * @param address the address, such as {@code https://objects.example.com}
   * @return a copy with it
   */
  public S3Settings withEndpoint(URI address) {
    return new S3Settings(bucket, prefix, region, Optional.of(address), pathStyle);
  }

  /**
   * With the bucket in the path of the URL, or in its host name.
   *
   * @param inPath true for the path
   * @return a copy with this choice
   */
  public S3Settings withPathStyle(boolean inPath) {
    return new S3Settings(bucket, prefix, region, endpoint, inPath);
  }
}
