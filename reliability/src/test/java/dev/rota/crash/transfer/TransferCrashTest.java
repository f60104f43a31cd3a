package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills exports and imports at each of their moments: the next call does the rest. */
@Alone
@CrashTest
class TransferCrashTest {

  @TempDir private Path folder;

  @Test
  void aTenantArrivesWholeHoweverItsMoveEnds() throws Exception {
    Random random = new Random(CrashRun.seed());
    try (TransferOperations transfers = new TransferOperations(folder)) {
      KillDrill exports = new KillDrill(transfers.exporting());
      KillDrill imports = new KillDrill(transfers.importing());
      KillDrill.Course export = exports.course();
      KillDrill.Course arrival = imports.course();
      int most = Math.max(export.moments().size(), arrival.moments().size());
      for (int i = 0; i < Math.max(most, CrashRun.size(32, 200)); i++) {
        exports.killAt(export.step(i, random));
        imports.killAt(arrival.step(i, random));
      }
      transfers.finish();
      CrashRun.record("transfer-kills", figures(exports, imports));
      assertThat(exports.kills().keySet()).containsAll(export.moments());
      assertThat(imports.kills().keySet()).containsAll(arrival.moments());
      assertThat(export.moments().size() + arrival.moments().size()).isGreaterThan(80);
    }
  }

  private static Map<String, Object> figures(KillDrill exports, KillDrill imports) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("kills", exports.killed() + imports.killed());
    figures.put("exports", exports.figures());
    figures.put("imports", imports.figures());
    return figures;
  }
}
