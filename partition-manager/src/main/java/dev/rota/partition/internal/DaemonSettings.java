package dev.rota.partition.internal;

import static dev.rota.internal.RotaSettings.within;

import dev.rota.archive.Archive;
import dev.rota.archive.internal.ArchiveSettings;
import java.time.Duration;
import java.util.Optional;

/** The settings of one daemon, with their bounds. Filled by the builder, then never changed. */
final class DaemonSettings {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Duration rotateEvery = Duration.ofHours(1);
  private long slotBytes = 256L << 20;
  private long segmentBytes = 8L << 20;
  private Duration segmentAge = Duration.ofDays(1);
  private Duration keepHistory = Duration.ofDays(7);
  private Duration keepLedger = Duration.ofDays(1);
  private Duration keepStatistics = Duration.ofDays(30);
  private Duration keepGraphs = Duration.ofDays(1);
  private Duration keepArchive = LONGEST;
  private Optional<ArchiveSettings> archive = Optional.empty();
  private Duration tick = Duration.ofMillis(250);
  private double workShare = 0.25;

  DaemonSettings copy() {
    DaemonSettings copy = new DaemonSettings();
    copy.rotateEvery = rotateEvery;
    copy.slotBytes = slotBytes;
    copy.segmentBytes = segmentBytes;
    copy.segmentAge = segmentAge;
    copy.keepHistory = keepHistory;
    copy.keepLedger = keepLedger;
    copy.keepStatistics = keepStatistics;
    copy.keepGraphs = keepGraphs;
    copy.keepArchive = keepArchive;
    copy.archive = archive;
    copy.tick = tick;
    copy.workShare = workShare;
    return copy;
  }

  Duration rotateEvery() {
    return rotateEvery;
  }

  void rotateEvery(Duration period) {
    rotateEvery = within("rotateEvery", period, Duration.ofSeconds(1), Duration.ofDays(7));
  }

  long slotBytes() {
    return slotBytes;
  }

  void slotBytes(long bytes) {
    slotBytes = within("slotBytes", bytes, 8_192, Long.MAX_VALUE);
  }

  long segmentBytes() {
    return segmentBytes;
  }

  void segmentBytes(long bytes) {
    segmentBytes = within("segmentBytes", bytes, 0, Long.MAX_VALUE);
  }

  Duration segmentAge() {
    return segmentAge;
  }

  void segmentAge(Duration age) {
    segmentAge = within("segmentAge", age, Duration.ofSeconds(1), LONGEST);
  }

  Duration keepHistory() {
    return keepHistory;
  }

  void keepHistory(Duration age) {
    keepHistory = within("keepHistory", age, Duration.ZERO, LONGEST);
  }

  Duration keepLedger() {
    return keepLedger;
  }

  void keepLedger(Duration age) {
    keepLedger = within("keepLedger", age, Duration.ZERO, LONGEST);
  }

  Duration keepStatistics() {
    return keepStatistics;
  }

  void keepStatistics(Duration age) {
    keepStatistics = within("keepStatistics", age, Duration.ZERO, LONGEST);
  }

  Duration keepGraphs() {
    return keepGraphs;
  }

  void keepGraphs(Duration age) {
    keepGraphs = within("keepGraphs", age, Duration.ZERO, LONGEST);
  }

  Duration keepArchive() {
    return keepArchive;
  }

  void keepArchive(Duration age) {
    keepArchive = within("keepArchive", age, Duration.ZERO, LONGEST);
  }

  Optional<ArchiveSettings> archive() {
    return archive;
  }

  void archive(Archive to) {
    archive = Optional.of(ArchiveSettings.of(to));
  }

  Duration tick() {
    return tick;
  }

  void tick(Duration interval) {
    tick = within("tick", interval, Duration.ofMillis(10), Duration.ofMinutes(1));
  }

  double workShare() {
    return workShare;
  }

  void workShare(double part) {
    workShare = within("workShare", part, 0.01, 1);
  }
}
