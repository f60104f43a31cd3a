package dev.rota.archive.internal.parquet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds boundaries that divide sorted rows into parts of about the same size. It takes a systematic
 * sample by bytes of their positions in the order, which needs bounded memory for any number of
 * rows. Not thread-safe.
 */
final class PartBoundaries {

  private static final int MOST_SAMPLES = 8_192;

  private static final Comparator<Place> ORDER =
      Comparator.comparingLong(Place::createdAt).thenComparingLong(Place::id);

  private List<Sample> samples = new ArrayList<>();
  private long bytesOfSample;
  private long bytesSince;

  /** The position of a row in the order; all attempts of a task have the same position. */
  record Place(long createdAt, long id) {}

  /** A row, and the bytes of the rows since the previous sample. */
  private record Sample(Place place, long bytes) {}

  /** Creates boundaries with a sample for at least this many bytes. */
  PartBoundaries(long bytesOfSample) {
    this.bytesOfSample = bytesOfSample;
  }

  /** Adds a row. */
  void add(long createdAt, long id, long bytes) {
    bytesSince += bytes;
    if (bytesSince < bytesOfSample) {
      return;
    }
    samples.add(new Sample(new Place(createdAt, id), bytesSince));
    bytesSince = 0;
    if (samples.size() == MOST_SAMPLES) {
      halve();
    }
  }

  /**
   * The last position of each part but the last one, in order; none if all rows fit into one part.
   */
  List<Place> every(long bytesOfPart) {
    List<Place> cuts = new ArrayList<>();
    long bytes = 0;
    for (Sample sample : sorted()) {
      bytes += sample.bytes();
      if (bytes >= bytesOfPart) {
        cuts.add(sample.place());
        bytes = 0;
      }
    }
    return cuts.stream().distinct().toList();
  }

  private List<Sample> sorted() {
    return samples.stream().sorted(Comparator.comparing(Sample::place, ORDER)).toList();
  }

  private void halve() {
    List<Sample> half = new ArrayList<>(MOST_SAMPLES);
    for (int i = 1; i < samples.size(); i += 2) {
      Sample kept = samples.get(i);
      half.add(new Sample(kept.place(), samples.get(i - 1).bytes() + kept.bytes()));
    }
    samples = half;
    bytesOfSample *= 2;
  }
}
