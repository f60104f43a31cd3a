package dev.rota.archive.internal.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The digest of a Parquet file within the file itself, which proves the file complete when the
 * manifest is lost. It is the SHA-256 of all its bytes, with those of the digest taken as zeros. It
 * is in the metadata, which are plain text in the footer. Rejected: a hash of the rows by DuckDB,
 * which another version may compute differently, and by MD5, which makes an archiver a tenth
 * slower.
 *
 * @param finding the result of the check
 * @param bytes the size of the file
 * @param sha256 the digest of the present file
 */
public record FileSeal(Finding finding, long bytes, String sha256) {

  /** The name of the digest in the metadata. */
  static final String FACT = "rota_digest";

  private static final int DIGITS = 64;

  /** The value in its place while it is computed. */
  static final String BLANK = "0".repeat(DIGITS);

  private static final String MAGIC = "PAR1";
  private static final int TAIL = Integer.BYTES + MAGIC.length();
  private static final int LARGEST_FOOTER = 256 << 20;

  /**
   * The bytes before the digest. Parquet writes each name and value as the next field and a text,
   * with its length. So no name of a tenant can be mistaken for it.
   */
  private static final byte[] BEFORE_DIGEST =
      ("\u0018" + (char) FACT.length() + FACT + "\u0018" + (char) DIGITS)
          .getBytes(StandardCharsets.ISO_8859_1);

  /** The result of checking a file. */
  public enum Finding {
    /** The file is as it was written. */
    WHOLE,
    /** The file has no digest: an older version wrote it. */
    UNSEALED,
    /** The file differs from the one that was written. */
    CHANGED,
    /** The file is not a complete Parquet file. */
    TORN
  }

  /** Writes the digest into a file that has the blank one. */
  static void apply(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] footer = footer(open);
      OptionalLong place = place(open.length(), footer);
      if (place.isEmpty()) {
        throw new IOException("the file " + file + " has no place for its digest");
      }
      byte[] digest = Digest.of(file).getBytes(StandardCharsets.US_ASCII);
      open.seek(place.getAsLong());
      open.write(digest);
    }
  }

  /** Reads a file and its digest, both once. */
  public static FileSeal of(Path file) throws IOException {
    long bytes = Files.size(file);
    byte[] footer = footer(file);
    OptionalLong place = place(bytes, footer);
    if (place.isEmpty()) {
      Finding finding = footer.length == 0 ? Finding.TORN : Finding.UNSEALED;
      return new FileSeal(finding, bytes, Digest.of(file));
    }
    return sealed(file, bytes, place.getAsLong());
  }

  private static FileSeal sealed(Path file, long bytes, long place) throws IOException {
    MessageDigest whole = Digest.begin();
    MessageDigest blanked = Digest.begin();
    String said;
    try (InputStream in = Files.newInputStream(file)) {
      Digest.update(in, place, whole, blanked);
      byte[] digits = in.readNBytes(DIGITS);
      said = new String(digits, StandardCharsets.US_ASCII);
      whole.update(digits);
      blanked.update(BLANK.getBytes(StandardCharsets.US_ASCII));
      Digest.update(in, Long.MAX_VALUE, whole, blanked);
    }
    Finding finding = Digest.finish(blanked).equals(said) ? Finding.WHOLE : Finding.CHANGED;
    return new FileSeal(finding, bytes, Digest.finish(whole));
  }

  /** The offset of the digest in a file of that size; it is the last of the metadata. */
  private static OptionalLong place(long bytes, byte[] footer) {
    int beginning = BEFORE_DIGEST.length;
    for (int at = footer.length - DIGITS; at >= beginning; at--) {
      if (Arrays.equals(footer, at - beginning, at, BEFORE_DIGEST, 0, beginning)) {
        return OptionalLong.of(bytes - TAIL - footer.length + at);
      }
    }
    return OptionalLong.empty();
  }

  private static byte[] footer(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      return footer(open);
    }
  }

  /** Reads the footer; empty if there is none. */
  private static byte[] footer(RandomAccessFile file) throws IOException {
    long length = footerLength(file);
    byte[] footer = new byte[Math.toIntExact(length)];
    file.seek(Math.max(0, file.length() - TAIL - length));
    file.readFully(footer);
    return footer;
  }

  /** The length of the footer, by the last bytes of a file; zero if it has none of that length. */
  private static long footerLength(RandomAccessFile file) throws IOException {
    long before = file.length() - TAIL;
    if (before < MAGIC.length()) {
      return 0;
    }
    byte[] tail = new byte[TAIL];
    file.seek(before);
    file.readFully(tail);
    int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
    String magic = new String(tail, Integer.BYTES, MAGIC.length(), StandardCharsets.ISO_8859_1);
    boolean possible = magic.equals(MAGIC) && length > 0 && length <= LARGEST_FOOTER;
    return possible && length <= before - MAGIC.length() ? length : 0;
  }
}
