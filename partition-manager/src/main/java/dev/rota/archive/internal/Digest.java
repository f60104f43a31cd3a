package dev.rota.archive.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of files. */
public final class Digest {

  private static final int BUFFER = 1 << 16;

  private Digest() {}

  /** In 64 hexadecimal digits. */
  public static String of(Path file) throws IOException {
    return of(file, 0, new byte[0]);
  }

  /** The same of a file that had these bytes from that place on. */
  static String of(Path file, long place, byte[] instead) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      long at = 0;
      for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
        for (int i = 0; i < instead.length; i++) {
          long within = place + i - at;
          if (within >= 0 && within < got) {
            buffer[(int) within] = instead[i];
          }
        }
        digest.update(buffer, 0, got);
        at += got;
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
