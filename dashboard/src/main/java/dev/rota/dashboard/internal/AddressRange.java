package dev.rota.dashboard.internal;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The addresses that share their first bits, such as {@code 10.0.0.0/8}. Addresses of version 4 in
 * the form of version 6, such as {@code ::ffff:10.0.0.1}, are ones of version 4. Immutable.
 *
 * @param prefix the bits that they share
 * @param bits the number of those bits
 * @param length the number of bits of a whole address: 32 or 128
 */
record AddressRange(BigInteger prefix, int bits, int length) {

  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

  /** A literal of version 4 or one of version 6, and the number of bits: no name to look up. */
  private static final Pattern RANGE =
      Pattern.compile(
          "(?:("
              + OCTET
              + "(?:\\."
              + OCTET
              + "){3})|([0-9a-fA-F:.]*:[0-9a-fA-F:.]*))(?:/(\\d{1,3}))?");

  /** What stands before an address of version 4 in the form of version 6. */
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

  /**
   * Reads a range; an address without a number of bits is a range of its own.
   *
   * @throws IllegalArgumentException if it is malformed, or has bits after the first ones
   */
  static AddressRange of(String text) {
    Matcher parts = RANGE.matcher(text);
    if (!parts.matches()) {
      throw malformed(text);
    }
    byte[] address = address(parts);
    int length = address.length * Byte.SIZE;
    int bits = bits(parts, length);
    if (bits < 0 || bits > length) {
      throw malformed(text);
    }
    BigInteger whole = new BigInteger(1, address);
    BigInteger prefix = whole.shiftRight(length - bits);
    if (!prefix.shiftLeft(length - bits).equals(whole)) {
      throw new IllegalArgumentException(
          "range '" + text + "' must have zeros after its first bits, as 10.0.0.0/8 has");
    }
    return new AddressRange(prefix, bits, length);
  }

  private static byte[] address(Matcher parts) {
    try {
      // Brackets allow no name.
      String literal = parts.group(1) != null ? parts.group(1) : "[" + parts.group(2) + "]";
      return InetAddress.getByName(literal).getAddress();
    } catch (UnknownHostException e) {
      throw malformed(parts.group());
    }
  }

  /** The number of bits, for the version of the address. */
  private static int bits(Matcher parts, int length) {
    if (parts.group(3) == null) {
      return length;
    }
    boolean isMapped = parts.group(2) != null && length == Integer.SIZE;
    return Integer.parseInt(parts.group(3)) - (isMapped ? MAPPED.length * Byte.SIZE : 0);
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "range '" + text + "' is malformed; use one such as 10.0.0.0/8 or fd00::/8");
  }

  /** Whether an address lies in the range. */
  boolean contains(InetAddress address) {
    byte[] given = unmapped(address.getAddress());
    return given.length * Byte.SIZE == length
        && new BigInteger(1, given).shiftRight(length - bits).equals(prefix);
  }

  private static byte[] unmapped(byte[] address) {
    boolean isMapped =
        address.length > MAPPED.length
            && Arrays.equals(address, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
    return isMapped ? Arrays.copyOfRange(address, MAPPED.length, address.length) : address;
  }
}
