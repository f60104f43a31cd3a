package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rotations that do not check again once they hold the lock, and may copy rows before they have it.
 */
final class AfterLock implements Rewriting {

  private static final String BEGIN = "begin isolation level";
  private static final Pattern LOCK =
      Pattern.compile(
          "lock table (\"rota_(\\d+)\".\"task_init_\\d+_)(\\d)\" in access exclusive mode");
  private static final Pattern LOOK = Pattern.compile("select 1 from (\\S+) limit 1");

  private final boolean copying;
  private final ThreadLocal<Boolean> locked = ThreadLocal.withInitial(() -> false);
  private final AtomicInteger applied = new AtomicInteger();

  AfterLock(boolean copying) {
    this.copying = copying;
  }

  @Override
  public String text(int process, String text) {
    if (text.startsWith(BEGIN)) {
      locked.set(false);
    }
    Matcher lock = LOCK.matcher(text);
    if (lock.find()) {
      locked.set(true);
      return copying ? copyFirst(lock, text) : text;
    }
    Matcher look = LOOK.matcher(text);
    if (locked.get() && look.find()) {
      applied.incrementAndGet();
      return look.replaceAll("select 1 from $1 where false limit 1");
    }
    return text;
  }

  /** Copies into the slot to which producers are going to be directed. */
  private static String copyFirst(Matcher lock, String text) {
    int next = Integer.parseInt(lock.group(3));
    String current = lock.group(1) + (next + 2) % 3 + "\"";
    String slot = lock.group(1) + next + "\"";
    return "insert into " + current + " select * from " + slot + ";\n" + text;
  }

  @Override
  public int applied() {
    return applied.get();
  }
}
