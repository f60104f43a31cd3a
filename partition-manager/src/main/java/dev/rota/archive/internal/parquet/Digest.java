package dev.rota.archive.internal.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256 of files, in 64 hexadecimal digits. */
public final class Digest {

  private static final int BUFFER = 1 << 16;

  private Digest() {}

  /** Computes the digest of a whole file. */
  public static String of(Path file) throws IOException {
    MessageDigest digest = begin();
    try (InputStream in = Files.newInputStream(file)) {
      update(in, Long.MAX_VALUE, digest);
    }
    return finish(digest);
  }

  /** Whether a file has that size, and then that digest. */
  public static boolean agrees(Path file, long bytes, String sha256) throws IOException {
    return Files.size(file) == bytes && of(file).equals(sha256);
  }

  /** Begins an empty digest. */
  static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Adds the next bytes, as many as there are up to a number, to each of these digests. */
  static void update(InputStream in, long bytes, MessageDigest... digests) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = bytes;
    while (left > 0) {
      int got = in.read(buffer, 0, (int) Math.min(left, BUFFER));
      if (got < 0) {
        return;
      }
      for (MessageDigest digest : digests) {
        digest.update(buffer, 0, got);
      }
      left -= got;
    }
  }

  static String finish(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
