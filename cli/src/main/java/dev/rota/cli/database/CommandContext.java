package dev.rota.cli.database;

import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** The services that a subcommand from another jar shares with those of this one. */
public final class CommandContext {

  private final Terminal terminal;
  private final Secrets secrets;

  public CommandContext(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  /**
   * The terminal of the command.
   *
   * @return its streams
   */
  public Terminal terminal() {
    return terminal;
  }

  /**
   * The passwords that the output must not show.
   *
   * @return those that are known so far, to which more may be added
   */
  public Secrets secrets() {
    return secrets;
  }

  /**
   * The stream of results, and of nothing else.
   *
   * @return standard output, unless a test reads it
   */
  public PrintStream out() {
    return terminal.out();
  }

  /**
   * Creates a line on standard error that shows the progress of a command.
   *
   * @return a new one, to be closed by the caller
   */
  public StatusLine statusLine() {
    return new StatusLine(terminal);
  }

  /**
   * Opens the database that the options name, else one in a temporary directory.
   *
   * @param options the options of the command
   * @return the database, to be closed by the caller
   * @throws UsageException if the options contradict each other
   */
  public CommandDatabase openOrTemporary(DatabaseOptions options) {
    return options.openOrTemporary(terminal, secrets);
  }

  /**
   * Prints one JSON object on one line.
   *
   * @param fields its fields; values are numbers, texts, lists and maps
   */
  public void printJson(Map<String, ?> fields) {
    terminal.out().println(Json.render(fields));
  }

  /**
   * Prints a table, its columns as wide as their widest cells.
   *
   * @param rows at least one, all with the same number of cells
   */
  public void printTable(List<List<String>> rows) {
    Table table = new Table(rows.get(0).toArray(String[]::new));
    rows.subList(1, rows.size()).forEach(row -> table.add(row.toArray(String[]::new)));
    table.print(terminal.out());
  }
}
