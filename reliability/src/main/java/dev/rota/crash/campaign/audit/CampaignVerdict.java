package dev.rota.crash.campaign.audit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** The result of an audit. Not thread-safe. */
public final class CampaignVerdict {

  /** The violations. */
  public enum Charge {
    /** Acknowledged, and neither run to success nor in a final state. */
    LOST,
    /** Run again without a fault that explains it. */
    DUPLICATED,
    /** Run although it was never enqueued, or known not to be stored. */
    UNEXPECTED,
    /** Still in a ring, a wait table or an open batch after everything had come to rest. */
    PENDING,
    /** The database contradicts the accounts of the processes. */
    CONTRADICTION
  }

  /** Legitimate events that are counted. */
  public enum Count {
    INVOKED,
    ACKNOWLEDGED,
    FAILED,
    UNKNOWN,
    /** The outcome was unknown, and the task exists. */
    RECOVERED,
    DONE,
    DEAD,
    EXPLAINED
  }

  private static final int SHOWN = 20;

  private final Map<Charge, List<String>> shown = new EnumMap<>(Charge.class);
  private final Map<Charge, LongAdder> charges = new EnumMap<>(Charge.class);
  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
  private final Map<String, LongAdder> explanations = new TreeMap<>();

  void charge(Charge charge, String evidence) {
    charges.computeIfAbsent(charge, unused -> new LongAdder()).increment();
    List<String> list = shown.computeIfAbsent(charge, unused -> new ArrayList<>());
    if (list.size() < SHOWN) {
      list.add(evidence);
    }
  }

  public void count(Count count) {
    counts.computeIfAbsent(count, unused -> new LongAdder()).increment();
  }

  void explain(String cause) {
    count(Count.EXPLAINED);
    explanations.computeIfAbsent(cause, unused -> new LongAdder()).increment();
  }

  public long count(Charge charge) {
    LongAdder count = charges.get(charge);
    return count == null ? 0 : count.sum();
  }

  public long counted(Count count) {
    LongAdder counter = counts.get(count);
    return counter == null ? 0 : counter.sum();
  }

  /** The number of repeated runs that each kind of fault explains. */
  public Map<String, Long> explanations() {
    Map<String, Long> counts = new TreeMap<>();
    explanations.forEach((cause, count) -> counts.put(cause, count.sum()));
    return counts;
  }

  public boolean isClean() {
    return charges.isEmpty();
  }

  /** All charges, with the first pieces of evidence of each. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    charges.forEach(
        (charge, count) -> {
          text.append(charge).append(": ").append(count).append('\n');
          shown
              .getOrDefault(charge, List.of())
              .forEach(line -> text.append("  ").append(line).append('\n'));
        });
    text.append("counted ").append(counts).append(", explained by ").append(explanations);
    return text.toString();
  }
}
