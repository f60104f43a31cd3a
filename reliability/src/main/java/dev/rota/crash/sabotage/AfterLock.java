package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rotations that do not check again once they hold the lock, and may copy rows before they have it.
 */
final class AfterLock implements Rewriting {

  private static final Pattern LOCK =
      Pattern.compile(
          "lock table (\"rota_(\\d+)\".\"task_init_\\d+_)(\\d)\" in access exclusive mode");
  private static final Pattern LOOK = Pattern.compile("select 1 from (\\S+) limit 1");

  private final boolean copying;
  private final AtomicInteger applied = new AtomicInteger();

  AfterLock(boolean copying) {
    this.copying = copying;
  }

  @Override
  public String text(int process, String text) {
    Matcher lock = LOCK.matcher(text);
    if (!lock.find()) {
      return text;
    }
    // The look follows in the same flush.
    Matcher look = LOOK.matcher(text.substring(lock.end()));
    if (!look.find()) {
      return text;
    }
    applied.incrementAndGet();
    String head = text.substring(0, lock.end());
    return (copying ? copyFirst(lock, head) : head)
        + look.replaceAll("select 1 from $1 where false limit 1");
  }

  /**
   * Copies into the slot to which producers are going to be directed. Both are one statement, since
   * the rotation reads one result.
   */
  private static String copyFirst(Matcher lock, String text) {
    int next = Integer.parseInt(lock.group(3));
    String current = lock.group(1) + (next + 2) % 3 + "\"";
    String slot = lock.group(1) + next + "\"";
    return text.substring(0, lock.start())
        + "do $$ begin insert into "
        + current
        + " select * from "
        + slot
        + "; "
        + text.substring(lock.start())
        + "; end $$";
  }

  @Override
  public int applied() {
    return applied.get();
  }
}
