package dev.rota.archive.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The digest of a Parquet file within the file itself, so that it can be told whether the file is
 * whole when nothing else is left: the SHA-256 of all its bytes, those of the digest taken as
 * zeros. It stands in the metadata, which are plain text in the footer. Rejected: a hash of the
 * rows by DuckDB, which another version may compute otherwise, and by MD5, which makes an archiver
 * a tenth slower.
 */
public final class FileSeal {

  /** The name of the digest in the metadata. */
  static final String FACT = "rota_digest";

  /** What stands in its place while it is computed. */
  static final String BLANK = "0".repeat(64);

  private static final String MAGIC = "PAR1";
  private static final int TAIL = Integer.BYTES + MAGIC.length();
  private static final int LARGEST_FOOTER = 256 << 20;

  /** What a look at a file tells. */
  public enum Finding {
    /** It is what was written. */
    WHOLE,
    /** It says nothing: it was written by an older version. */
    UNSEALED,
    /** It is something else than what was written. */
    CHANGED,
    /** It is no Parquet file, or not all of one. */
    TORN
  }

  private FileSeal() {}

  /** Writes the digest into a file that has the blank one. */
  static void apply(Path file) throws IOException {
    long place = place(file);
    if (place < 0) {
      throw new IOException("the file " + file + " has no place for its digest");
    }
    byte[] digest = Digest.of(file).getBytes(StandardCharsets.US_ASCII);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(place);
      open.write(digest);
    }
  }

  /** Whether a file is whole. */
  public static Finding look(Path file) throws IOException {
    if (footer(file).length == 0) {
      return Finding.TORN;
    }
    long place = place(file);
    if (place < 0) {
      return Finding.UNSEALED;
    }
    byte[] said = new byte[BLANK.length()];
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      open.seek(place);
      open.readFully(said);
    }
    String found = Digest.of(file, place, BLANK.getBytes(StandardCharsets.US_ASCII));
    return found.equals(new String(said, StandardCharsets.US_ASCII))
        ? Finding.WHOLE
        : Finding.CHANGED;
  }

  /** Where the digest begins; negative if there is none. */
  private static long place(Path file) throws IOException {
    byte[] footer = footer(file);
    int name = new String(footer, StandardCharsets.ISO_8859_1).lastIndexOf(FACT);
    if (name < 0) {
      return -1;
    }
    for (int at = name + FACT.length(); at + BLANK.length() <= footer.length; at++) {
      if (isDigest(footer, at)) {
        return Files.size(file) - TAIL - footer.length + at;
      }
    }
    return -1;
  }

  private static boolean isDigest(byte[] footer, int at) {
    for (int i = at; i < at + BLANK.length(); i++) {
      if (Character.digit(footer[i], 16) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Empty if there is none. */
  private static byte[] footer(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      if (open.length() < TAIL + MAGIC.length()) {
        return new byte[0];
      }
      byte[] tail = new byte[TAIL];
      open.seek(open.length() - TAIL);
      open.readFully(tail);
      int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
      String magic = new String(tail, Integer.BYTES, MAGIC.length(), StandardCharsets.ISO_8859_1);
      if (!magic.equals(MAGIC)
          || length <= 0
          || length > LARGEST_FOOTER
          || length > open.length() - TAIL) {
        return new byte[0];
      }
      byte[] footer = new byte[length];
      open.seek(open.length() - TAIL - length);
      open.readFully(footer);
      return footer;
    }
  }
}
