package dev.rota.crash.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A failing statement that the server gets in place of a BEGIN, or ahead of it. It has the effect
 * of a cancel that hits the BEGIN. The server itself decides about the following statements.
 */
final class BrokenBegin {

  private static final String CANCELLED =
      "do $$begin raise exception 'canceling statement due to a test' using errcode = '57014';"
          + " end$$";

  /** The number of answers to {@link #precede} before that of its failure. */
  static final int COMPLETIONS = 2;

  private BrokenBegin() {}

  static boolean isBegin(String statement) {
    String text = statement.strip().toLowerCase(Locale.ROOT);
    return text.startsWith("begin") || text.startsWith("start transaction");
  }

  /** Replaces a simple query: after its failure the server continues with the next message. */
  static void replaceQuery(DataOutputStream out) throws IOException {
    write(out, 'Q', body -> text(body, CANCELLED));
  }

  /**
   * Precedes a statement in the extended protocol: the server skips all messages up to the next
   * Sync.
   */
  static void precede(DataOutputStream out) throws IOException {
    write(
        out,
        'P',
        body -> {
          text(body, "");
          text(body, CANCELLED);
          body.writeShort(0);
        });
    write(
        out,
        'B',
        body -> {
          text(body, "");
          text(body, "");
          body.writeShort(0);
          body.writeShort(0);
          body.writeShort(0);
        });
    write(
        out,
        'E',
        body -> {
          text(body, "");
          body.writeInt(0);
        });
  }

  /** Whether the server reports a finished parse or bind. */
  static boolean isCompletion(Message answer) {
    return answer.is('1') || answer.is('2');
  }

  private interface Body {
    void write(DataOutputStream body) throws IOException;
  }

  private static void write(DataOutputStream out, char type, Body body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    body.write(new DataOutputStream(bytes));
    out.writeByte(type);
    out.writeInt(bytes.size() + Integer.BYTES);
    bytes.writeTo(out);
  }

  private static void text(DataOutputStream body, String text) throws IOException {
    body.write(text.getBytes(StandardCharsets.UTF_8));
    body.writeByte(0);
  }
}
