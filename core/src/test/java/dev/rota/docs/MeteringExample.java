package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.metering.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The example of docs/metering.md. */
final class MeteringExample {

  private MeteringExample() {}

  static void bill(Rota rota, Consumer<String> bill) {
    // begin usage
    Instant now = Instant.now();
    try (Stream<Usage> usage = rota.metering().usage(now.minus(Duration.ofDays(30)), now)) {
      usage.forEach(
          hour ->
              bill.accept(
                  hour.tenant() + " " + hour.hour() + " " + hour.attempts().runTime().toSeconds()));
    }
    // end usage
  }
}
