package dev.rota.transfer.internal;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Collects pending tasks, those of each lane in a separate file. Used by one thread. */
final class LaneFiles implements AutoCloseable {

  private final ExportFolder folder;
  private final long memory;
  private final Map<Integer, RowFile> lanes = new TreeMap<>();
  private long running;

  LaneFiles(ExportFolder folder, long memory) {
    this.folder = folder;
    this.memory = memory;
  }

  RowFile of(int lane) throws IOException {
    RowFile file = lanes.get(lane);
    if (file == null) {
      file = RowFile.open(TableLayout.ring(lane), folder.work(), memory);
      lanes.put(lane, file);
    }
    return file;
  }

  /** Counts one more running task, which is pending in the export. */
  void countRunning() {
    running++;
  }

  void write(Map<String, Long> rows) throws IOException {
    for (Map.Entry<Integer, RowFile> lane : lanes.entrySet()) {
      RowFile file = lane.getValue();
      folder.write(TableLayout.ring(lane.getKey()).file(), file.rows(), file::write);
      StateExporter.count(rows, TableLayout.RING.name(), file.rows());
    }
    StateExporter.count(rows, "running", running);
  }

  @Override
  public void close() throws IOException {
    for (RowFile file : lanes.values()) {
      file.close();
    }
  }
}
