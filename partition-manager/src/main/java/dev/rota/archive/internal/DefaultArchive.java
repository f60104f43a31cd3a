package dev.rota.archive.internal;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.store.OptionalLibrary;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import java.nio.file.Path;
import java.time.Duration;

/** Default implementation of {@link Archive}: the settings of its builder. Immutable. */
public record DefaultArchive(
    ObjectStore store, Path stagingFolder, long memory, double share, Duration grace)
    implements Archive {

  /** The key of the object with the number of the database that writes to the store. */
  public static final String OWNER_KEY = "_rota_owner";

  /** The second key of the lock of the archiving daemon, which need not be the leader. */
  public static final int ARCHIVERS_LOCK = -2;

  private static final long LEAST_MEMORY = 128L << 20;
  private static final double LEAST_SHARE = 0.01;

  /** Creates a builder with defaults. */
  public static Builder builder(ObjectStore store) {
    return new ArchiveBuilder(store);
  }

  /** Casts an archive to this class, the only implementation. */
  public static DefaultArchive of(Archive archive) {
    return (DefaultArchive) archive;
  }

  @Override
  public ArchivedRows open(ArchivedSegment segment) {
    return ParquetRows.open(this, segment);
  }

  @Override
  public void close() {
    store.close();
  }

  private static final class ArchiveBuilder implements Builder {
    private final ObjectStore store;
    private Path stagingFolder = Path.of(System.getProperty("java.io.tmpdir"));
    private long memory = 256L << 20;
    private double share = 0.1;
    private Duration grace = Duration.ofSeconds(10);

    ArchiveBuilder(ObjectStore store) {
      this.store = store;
    }

    @Override
    public Builder stagingFolder(Path folder) {
      stagingFolder = folder;
      return this;
    }

    @Override
    public Builder memory(long bytes) {
      if (bytes < LEAST_MEMORY) {
        throw new IllegalArgumentException(
            "memory is " + bytes + "; use at least " + LEAST_MEMORY + " bytes");
      }
      memory = bytes;
      return this;
    }

    @Override
    public Builder share(double part) {
      if (!(part >= LEAST_SHARE && part <= 1)) {
        throw new IllegalArgumentException("share is " + part + "; use 0.01 to 1");
      }
      share = part;
      return this;
    }

    @Override
    public Builder grace(Duration pause) {
      if (pause.isNegative()) {
        throw new IllegalArgumentException("grace is " + pause + "; use zero or more");
      }
      grace = pause;
      return this;
    }

    @Override
    public Archive build() {
      OptionalLibrary.DUCKDB.require("An archive");
      return new DefaultArchive(store, stagingFolder, memory, share, grace);
    }
  }
}
