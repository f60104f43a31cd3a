package dev.rota.crash.campaign.audit;

import dev.rota.NewTask;
import dev.rota.pipeline.Pipeline;

/** The behaviour that a task of the campaign requests of its handler. */
public enum CampaignTask {
  SUCCEED,
  /** The task passes one stage of a pipeline and succeeds at the next. */
  PASS_ON,
  TAKE_A_WHILE,
  FAIL_ONCE,
  FAIL_TWICE,
  END_DEAD;

  public static final String FIRST = "first";
  public static final String LAST = "last";
  public static final Pipeline WAY = Pipeline.named("PASS_ON").stage(FIRST).stage(LAST).build();

  /** The kind of its tasks at their enqueue. */
  public String kind() {
    return this == PASS_ON ? WAY.kind(FIRST) : name();
  }

  /** The least number of its failing attempts. */
  public int failures() {
    return switch (this) {
      case SUCCEED, PASS_ON, TAKE_A_WHILE -> 0;
      case FAIL_ONCE -> 1;
      case FAIL_TWICE -> 2;
      case END_DEAD -> Integer.MAX_VALUE;
    };
  }

  /** Creates the task of a mark, which is in its payload and in all accounts. */
  public NewTask task(long mark) {
    return NewTask.of(kind(), Long.toString(mark));
  }

  /** Chooses the behaviour of a mark: mostly successes, drawn evenly by the mark. */
  public static CampaignTask of(long mark) {
    int drawn = (int) Long.remainderUnsigned((mark * 0x9E3779B97F4A7C15L) >>> 16, 100);
    if (drawn < 78) {
      return drawn < 74 ? SUCCEED : PASS_ON;
    }
    if (drawn < 86) {
      return TAKE_A_WHILE;
    }
    return drawn < 95 ? FAIL_ONCE : drawn < 98 ? FAIL_TWICE : END_DEAD;
  }
}
