package dev.rota.cli.history;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.rota.Attempt;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Text;
import dev.rota.history.HistoryCounts;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The output formats of history. */
enum HistoryFormat {
  /** A table for people: columns, the first line of errors, no payloads. */
  TABLE {
    @Override
    Rows rows(PrintStream out) {
      return new TableRows(out);
    }

    @Override
    void printCounts(PrintStream out, HistoryCounts counts, Set<HistoryCounts.Dimension> by) {
      Table table = new Table(header(by, "ATTEMPTS"));
      counts.counts().forEach(count -> table.add(cells(count, by, true)));
      table.print(out);
    }
  },
  /** One JSON object a line. */
  JSON {
    @Override
    Rows rows(PrintStream out) {
      return attempt -> out.println(Json.render(fields(attempt)));
    }

    @Override
    void printCounts(PrintStream out, HistoryCounts counts, Set<HistoryCounts.Dimension> by) {
      counts.counts().forEach(count -> out.println(Json.render(fields(count))));
    }
  },
  /** CSV with a header. */
  CSV {
    @Override
    Rows rows(PrintStream out) {
      return new CsvRows(csv(out));
    }

    @Override
    void printCounts(PrintStream out, HistoryCounts counts, Set<HistoryCounts.Dimension> by) {
      CsvWriter csv = csv(out);
      csv.writeRecord(lowerCase(header(by, "attempts")));
      counts.counts().forEach(count -> csv.writeRecord(cells(count, by, false)));
      flush(csv);
    }
  };

  private static final String[] CSV_HEADER = {
    "id",
    "attempt",
    "state",
    "kind",
    "key",
    "priority",
    "enqueued_at",
    "claimed_at",
    "finished_at",
    "error",
    "payload"
  };

  /** Prints attempts, one after the other. */
  interface Rows extends AutoCloseable {
    void print(Attempt attempt);

    /** Prints the buffered rows. */
    @Override
    default void close() {}
  }

  abstract Rows rows(PrintStream out);

  abstract void printCounts(PrintStream out, HistoryCounts counts, Set<HistoryCounts.Dimension> by);

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Prints a table. It aligns some hundred rows at a time, so that a long list needs little memory.
   */
  private static final class TableRows implements Rows {
    private static final int TOGETHER = 500;

    private final PrintStream out;
    private Table table = empty();
    private int rows;

    TableRows(PrintStream out) {
      this.out = out;
    }

    private static Table empty() {
      return new Table(
          "ID", "ATTEMPT", "STATE", "KIND", "ENQUEUED", "CLAIMED", "FINISHED", "ERROR");
    }

    @Override
    public void print(Attempt attempt) {
      table.add(
          Long.toString(attempt.taskId()),
          Integer.toString(attempt.number()),
          Text.state(attempt.state()),
          attempt.kind(),
          Text.seconds(attempt.createdAt()),
          attempt.claimedAt().map(Text::seconds).orElse("-"),
          attempt.finishedAt().map(Text::seconds).orElse("-"),
          attempt.error().flatMap(text -> text.lines().findFirst()).orElse(""));
      rows++;
      if (rows % TOGETHER == 0) {
        table.print(out);
        table = empty();
      }
    }

    @Override
    public void close() {
      if (rows == 0 || rows % TOGETHER != 0) {
        table.print(out);
      }
    }
  }

  private static final class CsvRows implements Rows {
    private final CsvWriter csv;

    CsvRows(CsvWriter csv) {
      this.csv = csv;
      csv.writeRecord(CSV_HEADER);
    }

    @Override
    public void print(Attempt attempt) {
      csv.writeRecord(values(attempt));
    }

    @Override
    public void close() {
      flush(csv);
    }
  }

  private static void flush(CsvWriter csv) {
    try {
      csv.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to standard output", e);
    }
  }

  private static CsvWriter csv(PrintStream out) {
    return CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out);
  }

  private static Map<String, Object> fields(Attempt attempt) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", attempt.taskId());
    fields.put("attempt", attempt.number());
    fields.put("state", Text.state(attempt.state()));
    fields.put("kind", attempt.kind());
    attempt.key().ifPresent(key -> fields.put("key", key));
    fields.put("priority", attempt.priority());
    fields.put("enqueuedAt", attempt.createdAt().toString());
    attempt.claimedAt().ifPresent(time -> fields.put("claimedAt", time.toString()));
    attempt.finishedAt().ifPresent(time -> fields.put("finishedAt", time.toString()));
    attempt.error().ifPresent(text -> fields.put("error", text));
    attempt.stack().ifPresent(frames -> fields.put("stack", frames));
    if (!attempt.headers().isEmpty()) {
      fields.put("headers", attempt.headers());
    }
    fields.put("payload", attempt.payload());
    return fields;
  }

  private static String[] values(Attempt attempt) {
    return new String[] {
      Long.toString(attempt.taskId()),
      Integer.toString(attempt.number()),
      Text.state(attempt.state()),
      attempt.kind(),
      attempt.key().orElse(""),
      Integer.toString(attempt.priority()),
      attempt.createdAt().toString(),
      attempt.claimedAt().map(Instant::toString).orElse(""),
      attempt.finishedAt().map(Instant::toString).orElse(""),
      attempt.error().orElse(""),
      attempt.payload()
    };
  }

  private static String[] header(Set<HistoryCounts.Dimension> by, String last) {
    List<String> header = new ArrayList<>();
    by.forEach(dimension -> header.add(dimension.name()));
    header.add(last);
    return header.toArray(String[]::new);
  }

  private static String[] lowerCase(String[] texts) {
    String[] lower = new String[texts.length];
    for (int i = 0; i < texts.length; i++) {
      lower[i] = texts[i].toLowerCase(Locale.ROOT);
    }
    return lower;
  }

  private static String[] cells(
      HistoryCounts.Count count, Set<HistoryCounts.Dimension> by, boolean grouped) {
    List<String> cells = new ArrayList<>();
    if (by.contains(HistoryCounts.Dimension.HOUR)) {
      cells.add(count.hour().map(Instant::toString).orElse(""));
    }
    if (by.contains(HistoryCounts.Dimension.KIND)) {
      cells.add(count.kind().orElse(""));
    }
    if (by.contains(HistoryCounts.Dimension.STATE)) {
      cells.add(count.state().map(Text::state).orElse(""));
    }
    cells.add(grouped ? Text.count(count.attempts()) : Long.toString(count.attempts()));
    return cells.toArray(String[]::new);
  }

  private static Map<String, Object> fields(HistoryCounts.Count count) {
    Map<String, Object> fields = new LinkedHashMap<>();
    count.hour().ifPresent(hour -> fields.put("hour", hour.toString()));
    count.kind().ifPresent(kind -> fields.put("kind", kind));
    count.state().ifPresent(state -> fields.put("state", Text.state(state)));
    fields.put("attempts", count.attempts());
    return fields;
  }
}
