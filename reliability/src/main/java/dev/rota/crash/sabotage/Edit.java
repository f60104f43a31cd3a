package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes statements that match a pattern, of all processes or of some, and counts the changes. */
final class Edit implements Rewriting {

  private final UnaryOperator<String> change;
  private final Set<Integer> processes;
  private final AtomicInteger applied = new AtomicInteger();

  private Edit(UnaryOperator<String> change, Set<Integer> processes) {
    this.change = change;
    this.processes = processes;
  }

  /** Replaces a regular expression, in which a blank stands for any white space. */
  static Edit replace(String expression, String replacement) {
    Pattern pattern = Pattern.compile(expression.replace(" ", "\\s+"), Pattern.DOTALL);
    return new Edit(
        text -> {
          Matcher matcher = pattern.matcher(text);
          return matcher.find() ? matcher.replaceAll(replacement) : text;
        },
        Set.of());
  }

  /** Changes a text in any way. */
  static Edit of(UnaryOperator<String> change) {
    return new Edit(change, Set.of());
  }

  /** Returns this edit followed by another. */
  Edit and(String expression, String replacement) {
    Edit next = replace(expression, replacement);
    return new Edit(text -> next.change.apply(change.apply(text)), processes);
  }

  /** Returns the same edit for these processes only. */
  Edit in(Integer... some) {
    return new Edit(change, Set.of(some));
  }

  @Override
  public String text(int process, String text) {
    if (!processes.isEmpty() && !processes.contains(process)) {
      return text;
    }
    String changed = change.apply(text);
    if (!changed.equals(text)) {
      applied.incrementAndGet();
    }
    return changed;
  }

  @Override
  public int applied() {
    return applied.get();
  }
}
