package dev.rota.benchmarks.insight;

import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import java.sql.SQLException;
import picocli.CommandLine.Option;

/** The size of the load of an {@link InsightLoad}, as options of a command. */
public final class LoadOptions {

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "10000",
      description = "How many tenants have tables and tasks; ${DEFAULT-VALUE} by default.")
  private int tenants;

  @Option(
      names = "--attempts",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "The attempts of one of them; ${DEFAULT-VALUE} by default.")
  private long attempts;

  public int tenants() {
    return tenants;
  }

  public long attempts() {
    return attempts;
  }

  /** Refuses a load without tenants or attempts. */
  public void check() {
    if (tenants < 1 || attempts < 1) {
      throw new UsageException("--tenants and --attempts must be at least 1");
    }
  }

  /** Fills a database, and says so on the line of status. */
  public void fill(CommandDatabase database, StatusLine line) throws SQLException {
    line.stage(tenants + " tenants, and " + attempts + " attempts of one of them");
    InsightLoad.of(tenants, attempts).fill(database);
  }
}
