package dev.rota.benchmarks.load.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One call of the command, and what it printed. */
public record BenchCall(int code, String out, String err) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public static BenchCall of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        RotaCommand.run(args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    return new BenchCall(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** A run of so many seconds, without a warm-up, whose rings turn each second. */
  public static BenchCall bench(TestDatabase database, String seconds, String... options) {
    List<String> args = new ArrayList<>(List.of("bench", "--json", "--seconds", seconds));
    args.addAll(List.of("--warmup", "0", "--rotate-every", "1s"));
    args.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    args.addAll(List.of(options));
    return of(args.toArray(String[]::new));
  }

  /** Puts a trigger on each ring that is made from now on. */
  static void onRings(TestDatabase database, String when, String what) throws SQLException {
    database.execute(
        """
        create function public.watch() returns event_trigger language plpgsql as $$
        declare
          made record;
        begin
          for made in select object_identity as ring from pg_event_trigger_ddl_commands()
                       where object_identity like '%%.task_init_%%' loop
            execute format('create trigger watched %1$s on %%s %2$s', made.ring);
          end loop;
        end $$;
        create event trigger watch on ddl_command_end when tag in ('CREATE TABLE')
          execute function public.watch()"""
            .formatted(when, what));
  }

  /** The report, if the command ended with this code. */
  public JsonNode report(int expected) throws IOException {
    assertThat(code).as(err).isEqualTo(expected);
    assertThat(out.lines()).hasSize(1);
    return JSON.readTree(out);
  }

  public static void assertIntact(JsonNode report) {
    assertThat(report.get("lost").asLong()).as(report.toString()).isZero();
    assertThat(report.get("duplicated").asLong()).isZero();
    assertThat(report.get("enqueued").asLong()).isPositive();
    assertThat(report.get("settled").asLong()).isEqualTo(report.get("enqueued").asLong());
  }
}
