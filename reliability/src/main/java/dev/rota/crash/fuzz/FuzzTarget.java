package dev.rota.crash.fuzz;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What Jazzer calls in a process of its own, with bytes that it makes up: one for the way in, one
 * that says how to read the others as text.
 */
public final class FuzzTarget {

  /** The system property that names the database. */
  static final String URL = "rota.fuzz.url";

  private FuzzTarget() {}

  private static final class Lazy {
    static final EntryPoints ENTRIES = new EntryPoints(System.getProperty(URL, ""));
  }

  /** One input of the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > 2) {
      List<IntakePath> ways = Lazy.ENTRIES.ways();
      IntakePath way = ways.get(Byte.toUnsignedInt(input[0]) % ways.size());
      byte[] rest = Arrays.copyOfRange(input, 2, input.length);
      EntryPoints.take(way, input[1] % 2 == 0 ? utf8(rest) : utf16(rest));
    }
  }

  private static String utf8(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Any two bytes are a char, so that halves of pairs come too. */
  private static String utf16(byte[] bytes) {
    CharBuffer chars = ByteBuffer.wrap(bytes, 0, bytes.length - bytes.length % 2).asCharBuffer();
    return chars.toString();
  }
}
