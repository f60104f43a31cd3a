package dev.rota.transfer.internal;

import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.io.IOException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds payloads that fit only wide slots. All tasks of an export may come into a slot: also those
 * in history, which can be redriven.
 */
final class LargePayloads {

  private final ExportFolder folder;
  private final ExportManifest manifest;

  LargePayloads(ExportFolder folder, ExportManifest manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  boolean exist(RowLoader loader) throws IOException {
    for (String file : files().toList()) {
      if (loader.hasLarger(folder.path(file), PriorityLanes.LARGEST_FITTING)) {
        return true;
      }
    }
    return false;
  }

  private Stream<String> files() {
    Stream<TableLayout> rings =
        IntStream.range(0, manifest.tenant().lanes().size()).mapToObj(TableLayout::ring);
    Stream<String> tables =
        Stream.concat(rings, Stream.of(TableLayout.WAITING, TableLayout.KEYS, TableLayout.HELD))
            .map(TableLayout::file)
            .filter(file -> manifest.file(file).isPresent());
    return Stream.concat(
        tables,
        manifest.filesIn(ExportFolder.HISTORY).stream().map(ExportManifest.FileFacts::path));
  }
}
