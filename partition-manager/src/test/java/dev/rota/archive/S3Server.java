package dev.rota.archive;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;

/** A server of the S3 protocol over the files of a folder. */
public final class S3Server implements AutoCloseable {

  public static final String BUCKET = "rota-archive";

  private static final String KEY = "rota-test";
  private static final String SECRET = "not-a-secret";

  private final S3Proxy proxy;
  private final Path folder;

  /** Starts it over a folder, with an empty bucket. */
  public S3Server(Path folder) throws Exception {
    this.folder = folder;
    Files.createDirectories(folder.resolve(BUCKET));
    Properties properties = new Properties();
    properties.setProperty("jclouds.filesystem.basedir", folder.toString());
    BlobStore blobs = BlobStores.create("filesystem-nio2", properties);
    proxy =
        S3Proxy.builder()
            .blobStore(blobs)
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V4, KEY, SECRET)
            .build();
    proxy.start();
    useCredentials(KEY, SECRET);
  }

  /** What the chain of the SDK finds in this JVM. */
  public static void useCredentials(String key, String secret) {
    System.setProperty("aws.accessKeyId", key);
    System.setProperty("aws.secretAccessKey", secret);
  }

  /** The right credentials. */
  public static void useCredentials() {
    useCredentials(KEY, SECRET);
  }

  public int port() {
    return proxy.getPort();
  }

  public S3Settings settings() {
    return settings(port());
  }

  /** By way of another port. */
  public static S3Settings settings(int port) {
    return S3Settings.of(BUCKET)
        .withPrefix("of/rota")
        .withEndpoint(URI.create("http://127.0.0.1:" + port))
        .withPathStyle(true);
  }

  /** Where an object is in the file system. */
  public Path file(String key) {
    return folder.resolve(BUCKET).resolve("of/rota").resolve(key);
  }

  @Override
  public void close() throws IOException {
    try {
      proxy.stop();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
