package dev.rota.demo;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.rota.demo.TraceColumns.TraceRow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the CSV file of a trace line by line. */
record TraceWorkload(Path file, Consumer<MalformedTraceException> complaints)
    implements DemoWorkload {

  @Override
  public void read(Sink sink) throws InterruptedException {
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      String header = reader.readLine();
      TraceColumns columns = TraceColumns.of(header == null ? List.of() : fields(header, 1));
      boolean wanted = true;
      long number = 2;
      for (String line = reader.readLine(); line != null && wanted; line = reader.readLine()) {
        wanted = readLine(line, number++, columns, sink);
      }
    } catch (CharacterCodingException e) {
      throw new UncheckedIOException(new IOException(file + " is not UTF-8", e));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean readLine(String line, long number, TraceColumns columns, Sink sink)
      throws InterruptedException {
    TraceRow row = line.isBlank() ? null : parse(line, number, columns);
    return row == null
        || row.instances() == 0
        || sink.accept(row.job(), row.task(), row.instances(), row.fails());
  }

  private @Nullable TraceRow parse(String line, long number, TraceColumns columns) {
    try {
      return columns.row(fields(line, number), number);
    } catch (MalformedTraceException e) {
      complaints.accept(e);
      return null;
    }
  }

  /**
   * Parses each line separately: in a stream, one stray quote would swallow all lines behind it.
   */
  private static List<String> fields(String line, long number) {
    try (CsvReader<CsvRecord> reader = CsvReader.builder().ofCsvRecord(line)) {
      List<CsvRecord> records = new ArrayList<>();
      reader.forEach(records::add);
      return records.isEmpty() ? List.of() : records.get(0).getFields();
    } catch (CsvParseException e) {
      throw new MalformedTraceException(number, "it is not CSV");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
