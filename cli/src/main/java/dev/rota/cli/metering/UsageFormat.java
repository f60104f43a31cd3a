package dev.rota.cli.metering;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Text;
import dev.rota.metering.Usage;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The forms in which usage is printed. */
enum UsageFormat {
  TABLE {
    @Override
    void print(Stream<Usage> usage, PrintStream out) {
      Table table = new Table("HOUR", "ATTEMPTS", "RAN", "BYTES", "LOST", "BYTE-HOURS", "TENANT");
      usage.forEach(
          hour ->
              table.add(
                  Text.seconds(hour.hour()),
                  Text.count(hour.attempts().count()),
                  Text.age(Text.inSeconds(hour.attempts().runTime())),
                  Text.count(hour.attempts().bytes()),
                  Text.count(hour.lost()),
                  Text.count(hour.storageByteHours()),
                  hour.tenant()));
      table.print(out);
    }
  },

  JSON {
    @Override
    void print(Stream<Usage> usage, PrintStream out) {
      out.print("[");
      Iterator<Usage> hours = usage.iterator();
      while (hours.hasNext()) {
        out.print(Json.render(fields(hours.next())) + (hours.hasNext() ? "," : ""));
      }
      out.println("]");
    }
  },

  CSV {
    @Override
    void print(Stream<Usage> usage, PrintStream out) {
      CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out);
      csv.writeRecord(
          "tenant", "hour", "attempts", "run_micros", "bytes", "lost", "storage_byte_hours");
      usage.forEach(
          hour ->
              csv.writeRecord(
                  fields(hour).values().stream().map(String::valueOf).toArray(String[]::new)));
      try {
        csv.flush();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write to standard output", e);
      }
    }
  };

  abstract void print(Stream<Usage> usage, PrintStream out);

  private static Map<String, Object> fields(Usage hour) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenant", hour.tenant());
    fields.put("hour", hour.hour().toString());
    fields.put("attempts", hour.attempts().count());
    fields.put("runMicros", micros(hour.attempts().runTime()));
    fields.put("bytes", hour.attempts().bytes());
    fields.put("lost", hour.lost());
    fields.put("storageByteHours", hour.storageByteHours());
    return fields;
  }

  private static long micros(Duration duration) {
    return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1_000;
  }
}
