package dev.rota.demo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The spans to enqueue for one tenant, in order. Not thread-safe. */
final class TenantBuffer {

  private final ArrayDeque<Span> spans = new ArrayDeque<>();
  private long tasks;

  void add(Span span) {
    spans.addLast(span);
    tasks += span.count();
  }

  long tasks() {
    return tasks;
  }

  /** Takes the oldest tasks, up to a limit. */
  List<Span> take(int most) {
    List<Span> taken = new ArrayList<>();
    int room = most;
    for (Span span = spans.poll(); span != null; span = spans.poll()) {
      if (span.count() > room) {
        taken.add(span.head(room));
        spans.addFirst(span.tail(room));
        room = 0;
      } else {
        taken.add(span);
        room -= span.count();
      }
      if (room == 0) {
        break;
      }
    }
    tasks -= most - room;
    return taken;
  }
}
