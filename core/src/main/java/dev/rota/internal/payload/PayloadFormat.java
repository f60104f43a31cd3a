package dev.rota.internal.payload;

import dev.rota.spi.PayloadCodec;
import org.jspecify.annotations.Nullable;

/**
 * The form of the payloads of one Rota.
 *
 * @param limit the largest payload in bytes
 * @param codec writes values as payloads and reads them; null if the application gave none
 */
public record PayloadFormat(int limit, @Nullable PayloadCodec codec) {

  /**
   * Returns the codec for a kind.
   *
   * @throws IllegalStateException if the application gave none
   */
  public PayloadCodec codecFor(String kind, String type) {
    if (codec == null) {
      throw new IllegalStateException(
          "kind '"
              + kind
              + "' has payloads of "
              + type
              + ", and this Rota has no codec for them: add the dependency dev.rota:rota-jackson,"
              + " and call Rota.Builder.payloadCodec(JacksonCodec.create())");
    }
    return codec;
  }
}
