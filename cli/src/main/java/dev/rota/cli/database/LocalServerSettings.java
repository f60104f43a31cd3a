package dev.rota.cli.database;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of an embedded server, sized to the machine. The server's own defaults of 128 MB
 * memory and 1 GB log would make every measurement one of checkpoints.
 *
 * @param memoryBytes the memory of the machine or container
 * @param freeDiskBytes the free space on the disk of the data
 */
record LocalServerSettings(long memoryBytes, long freeDiskBytes) {

  private static final long MB = 1L << 20;

  static LocalServerSettings ofMachine(Path directory) throws IOException {
    long memory =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return new LocalServerSettings(memory, Files.getFileStore(directory).getUsableSpace());
  }

  /** Returns names and values; no value may contain a blank, since they pass through a shell. */
  Map<String, String> toMap() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("fsync", "on");
    settings.put("synchronous_commit", "on");
    settings.put("full_page_writes", "on");
    settings.put("listen_addresses", "localhost");
    settings.put("unix_socket_directories", "");
    settings.put("max_connections", "200");
    settings.put("max_locks_per_transaction", "256");
    settings.put("shared_buffers", megabytes(sharedBuffers()));
    settings.put("max_wal_size", megabytes(maxWal()));
    settings.put("min_wal_size", megabytes(maxWal() / 4));
    settings.put("wal_compression", "off");
    settings.put("checkpoint_timeout", "15min");
    settings.put("logging_collector", "on");
    settings.put("log_directory", "log");
    settings.put("log_filename", "postgresql.log");
    settings.put("log_rotation_age", "0");
    return settings;
  }

  private long sharedBuffers() {
    return clamp(memoryBytes / 8, 128 * MB, 2_048 * MB);
  }

  private long maxWal() {
    return clamp(freeDiskBytes / 4, 512 * MB, 8_192 * MB);
  }

  private static long clamp(long value, long least, long most) {
    return Math.max(least, Math.min(most, value));
  }

  private static String megabytes(long bytes) {
    return bytes / MB + "MB";
  }
}
