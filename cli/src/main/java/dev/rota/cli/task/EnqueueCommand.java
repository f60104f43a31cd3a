package dev.rota.cli.task;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.TaskKey;
import dev.rota.cli.common.PriorityConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Enqueues one task. */
@Command(name = "enqueue", description = "Enqueue one task and print its id.", sortOptions = false)
public final class EnqueueCommand implements Callable<Integer> {

  /** The highest limit of a payload; a longer one need not be read to the end. */
  private static final int MOST_BYTES = 1_048_576;

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(
      index = "1",
      paramLabel = "KIND",
      description = "The kind, which selects the handler.")
  private String kind = "";

  @Parameters(
      index = "2",
      paramLabel = "PAYLOAD",
      description = "The input of the handler, JSON by convention; - reads it from standard input.")
  private String payload = "";

  @ArgGroup(exclusive = true)
  private final Start start = new Start();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Add nothing while another task has the key; print its id.")
  private @Nullable String key;

  @Option(
      names = "--key-version",
      paramLabel = "NUMBER",
      description = "Run the task of the key again if this version is newer.")
  private @Nullable Long version;

  /** The time at which the task becomes pending. */
  static final class Start {

    @Option(names = "--after", paramLabel = "DURATION", description = "Let the task wait, as 15m.")
    private @Nullable Duration after;

    @Option(
        names = "--at",
        paramLabel = "TIME",
        description = "Let the task wait until a time, as 2030-01-31T08:00:00Z.")
    private @Nullable Instant at;

    NewTask apply(NewTask task) {
      if (after != null) {
        return task.after(after);
      }
      return at == null ? task : task.runAt(at);
    }
  }

  @Option(
      names = "--priority",
      paramLabel = "PRIORITY",
      converter = PriorityConverter.class,
      description = "-1000 to 1000; higher ones are served first; default: 0.")
  private int priority;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Give the task a header, such as traceparent; may be repeated.")
  private Map<String, String> headers = Map.of();

  private final Terminal terminal;
  private final Secrets secrets;

  public EnqueueCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() throws IOException {
    String content = payload.equals("-") ? readPayload() : payload;
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      NewTask task =
          keyed(start.apply(NewTask.of(kind, content))).priority(priority).withHeaders(headers);
      long id = rota.tenants().get(tenant).enqueue(task);
      terminal.out().println(id);
      return 0;
    }
  }

  private NewTask keyed(NewTask task) {
    if (key == null && version != null) {
      throw new UsageException("--key-version needs the --key that it is a version of");
    }
    if (key == null) {
      return task;
    }
    return version == null ? task.withKey(key) : task.withKey(TaskKey.versioned(key, version));
  }

  private String readPayload() throws IOException {
    byte[] bytes = terminal.in().readNBytes(MOST_BYTES + 1);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new RotaException("the payload on standard input is not UTF-8", e);
    }
  }
}
