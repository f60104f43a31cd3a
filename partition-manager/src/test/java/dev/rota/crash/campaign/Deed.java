package dev.rota.crash.campaign;

import dev.rota.NewTask;

/** What a task of the campaign asks of its handler. */
enum Deed {
  SUCCEED,
  TAKE_A_WHILE,
  FAIL_ONCE,
  FAIL_TWICE,
  END_DEAD;

  /** The kind of its tasks. */
  String kind() {
    return name();
  }

  /** How many of its attempts fail at least. */
  int failures() {
    return switch (this) {
      case SUCCEED, TAKE_A_WHILE -> 0;
      case FAIL_ONCE -> 1;
      case FAIL_TWICE -> 2;
      case END_DEAD -> Integer.MAX_VALUE;
    };
  }

  /** The task of a mark, which stands in its payload and in all accounts. */
  NewTask task(long mark) {
    return NewTask.of(kind(), Long.toString(mark));
  }

  /** The deed of a mark: mostly successes, drawn evenly from what the mark is. */
  static Deed of(long mark) {
    int drawn = (int) Long.remainderUnsigned((mark * 0x9E3779B97F4A7C15L) >>> 16, 100);
    if (drawn < 78) {
      return SUCCEED;
    }
    if (drawn < 86) {
      return TAKE_A_WHILE;
    }
    return drawn < 95 ? FAIL_ONCE : drawn < 98 ? FAIL_TWICE : END_DEAD;
  }
}
