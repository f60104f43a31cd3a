package dev.rota.crash.campaign;

import dev.rota.crash.accounts.AppendLog;
import dev.rota.crash.campaign.audit.EnqueueMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Records a producer's intentions and the outcomes. Marks are unique numbers. Thread-safe.
 *
 * <pre>
 * i MARK COUNT WAY     is about to enqueue COUNT tasks, the first of which has this mark
 * t TIME               when the next line was written, in milliseconds since 1970
 * o MARK ID...         they are acknowledged, with these ids
 * f MARK COUNT         they are known not to be stored
 * u MARK COUNT         the outcome is unknown
 * </pre>
 */
final class ProducerLog implements AutoCloseable {

  private final AppendLog log;

  ProducerLog(Path path) throws IOException {
    this.log = new AppendLog(path);
  }

  void invoke(long mark, int count, EnqueueMode way) {
    log.write("i " + mark + " " + count + " " + way);
  }

  void acknowledged(long mark, List<Long> ids) {
    log.write(
        ("t " + System.currentTimeMillis() + "\n")
            + ("o "
                + mark
                + " "
                + ids.stream().map(Object::toString).collect(Collectors.joining(" "))));
  }

  void failed(long mark, int count) {
    log.write("f " + mark + " " + count);
  }

  void unknown(long mark, int count) {
    log.write("u " + mark + " " + count);
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
