package dev.rota.daemon.internal.leader;

import static dev.rota.internal.config.RotaConfig.within;

import dev.rota.archive.Archive;
import java.time.Duration;
import java.util.Optional;

/** The settings of one daemon, with their bounds. Filled by the builder, then never changed. */
public final class DaemonConfig {

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
  private Optional<Archive> archive = Optional.empty();
  private Duration tick = Duration.ofMillis(250);
  private double workShare = 0.25;

  public DaemonConfig copy() {
    DaemonConfig copy = new DaemonConfig();
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

  public Duration rotateEvery() {
    return rotateEvery;
  }

  public void rotateEvery(Duration period) {
    rotateEvery = within("rotateEvery", period, Duration.ofSeconds(1), Duration.ofDays(7));
  }

  public void shortPeriod(Duration period) {
    rotateEvery = period;
  }

  public long slotBytes() {
    return slotBytes;
  }

  public void slotBytes(long bytes) {
    slotBytes = within("slotBytes", bytes, 8_192, Long.MAX_VALUE);
  }

  public long segmentBytes() {
    return segmentBytes;
  }

  public void segmentBytes(long bytes) {
    segmentBytes = within("segmentBytes", bytes, 0, Long.MAX_VALUE);
  }

  public Duration segmentAge() {
    return segmentAge;
  }

  public void segmentAge(Duration age) {
    segmentAge = within("segmentAge", age, Duration.ofSeconds(1), LONGEST);
  }

  public Duration keepHistory() {
    return keepHistory;
  }

  public void keepHistory(Duration age) {
    keepHistory = within("keepHistory", age, Duration.ZERO, LONGEST);
  }

  public Duration keepLedger() {
    return keepLedger;
  }

  public void keepLedger(Duration age) {
    keepLedger = within("keepLedger", age, Duration.ZERO, LONGEST);
  }

  public Duration keepStatistics() {
    return keepStatistics;
  }

  public void keepStatistics(Duration age) {
    keepStatistics = within("keepStatistics", age, Duration.ZERO, LONGEST);
  }

  public Duration keepGraphs() {
    return keepGraphs;
  }

  public void keepGraphs(Duration age) {
    keepGraphs = within("keepGraphs", age, Duration.ZERO, LONGEST);
  }

  public Duration keepArchive() {
    return keepArchive;
  }

  public void keepArchive(Duration age) {
    keepArchive = within("keepArchive", age, Duration.ZERO, LONGEST);
  }

  public Optional<Archive> archive() {
    return archive;
  }

  public void archive(Archive to) {
    archive = Optional.of(to);
  }

  public Duration tick() {
    return tick;
  }

  public void tick(Duration interval) {
    tick = within("tick", interval, Duration.ofMillis(10), Duration.ofMinutes(1));
  }

  public double workShare() {
    return workShare;
  }

  public void workShare(double part) {
    workShare = within("workShare", part, 0.01, 1);
  }
}
