package dev.rota.crash.server;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message of PostgreSQL's protocol, version 3. It has a type, a length, and a body, of which the
 * beginning is in memory and the rest still in the stream.
 */
final class Message {

  static final int STARTUP = 0;

  private static final int IN_MEMORY = 8 * 1024;
  private static final int LENGTH_FIELD = 4;

  private final int type;
  private final int length;
  private final byte[] head;
  private final DataInputStream rest;

  private Message(int type, int length, byte[] head, DataInputStream rest) {
    this.type = type;
    this.length = length;
    this.head = head;
    this.rest = rest;
  }

  /** Reads the next message, or null at the end of the stream. */
  static @Nullable Message read(DataInputStream in) throws IOException {
    int type = in.read();
    return type < 0 ? null : readBody(type, in);
  }

  /** Reads the first message of a client, which has no type. */
  static @Nullable Message readStartup(DataInputStream in) throws IOException {
    try {
      return readBody(STARTUP, in);
    } catch (EOFException e) {
      // A client that connects and sends nothing.
      return null;
    }
  }

  private static Message readBody(int type, DataInputStream in) throws IOException {
    int length = in.readInt() - LENGTH_FIELD;
    byte[] head = new byte[Math.min(length, IN_MEMORY)];
    in.readFully(head);
    return new Message(type, length, head, in);
  }

  /** Forwards the message, with the part that is still in the stream. */
  void writeTo(DataOutputStream out) throws IOException {
    if (type != STARTUP) {
      out.write(type);
    }
    out.writeInt(length + LENGTH_FIELD);
    out.write(head);
    for (int left = length - head.length; left > 0; ) {
      byte[] chunk = rest.readNBytes(Math.min(left, IN_MEMORY));
      if (chunk.length == 0) {
        throw new EOFException("the connection ended in the middle of a message");
      }
      out.write(chunk);
      left -= chunk.length;
    }
  }

  /** Discards the part that is still in the stream. */
  void skip() throws IOException {
    rest.skipNBytes(length - head.length);
  }

  boolean is(char wanted) {
    return type == wanted;
  }

  /** The length of its body in bytes. */
  int length() {
    return length;
  }

  /** The number at the beginning of its body. */
  int code() {
    return head.length < Integer.BYTES ? 0 : ByteBuffer.wrap(head).getInt();
  }

  /** The n-th of the texts at the beginning of its body, each of which ends with a zero byte. */
  String text(int n) {
    int from = 0;
    for (int i = 0; i < n; i++) {
      from = end(from) + 1;
    }
    return from > head.length
        ? ""
        : new String(head, from, end(from) - from, StandardCharsets.UTF_8);
  }

  private int end(int from) {
    int end = from;
    while (end < head.length && head[end] != 0) {
      end++;
    }
    return Math.min(end, head.length);
  }
}
