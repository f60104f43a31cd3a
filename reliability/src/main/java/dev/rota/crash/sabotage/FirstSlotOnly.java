package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Claims that take a short batch from the first slot for all that there is. */
final class FirstSlotOnly implements Rewriting {

  private static final Pattern CLAIM = Pattern.compile("\\)\\) limit \\?");

  private final AtomicInteger applied = new AtomicInteger();

  /** Changes a claim, except the first of a transaction, which travels with its settings. */
  @Override
  public String text(int process, String text) {
    Matcher claim = CLAIM.matcher(text);
    if (text.contains("begin isolation level") || !claim.find()) {
      return text;
    }
    applied.incrementAndGet();
    return claim.replaceAll(")) limit ? * 0");
  }

  @Override
  public int applied() {
    return applied.get();
  }
}
