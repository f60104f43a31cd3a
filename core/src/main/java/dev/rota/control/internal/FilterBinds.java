package dev.rota.control.internal;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.text.ErrorText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns the conditions of a filter into the binds of a statement: each of them twice, or null
 * twice.
 */
final class FilterBinds {

  private final List<@Nullable Object> binds = new ArrayList<>();

  private FilterBinds() {}

  static List<@Nullable Object> of(Redrive what) {
    return of(what, what.error().map(ErrorText::said).map(List::of));
  }

  /** With these texts of errors in place of that of the redrive. */
  static List<@Nullable Object> of(Redrive what, Optional<List<String>> errors) {
    FilterBinds conditions = new FilterBinds();
    conditions.addIds(what.ids());
    conditions.addText("kind", what.kind());
    conditions.addTexts("error", errors);
    conditions.addTime(what.diedFrom());
    conditions.addTime(what.diedBefore());
    return conditions.binds;
  }

  static List<@Nullable Object> of(TaskFilter which) {
    FilterBinds conditions = new FilterBinds();
    conditions.addIds(which.ids());
    conditions.addText("kind", which.kind());
    conditions.addText("key", which.key());
    conditions.addTime(which.createdFrom());
    conditions.addTime(which.createdBefore());
    return conditions.binds;
  }

  private void addIds(Optional<Set<Long>> ids) {
    add(ids.map(set -> set.stream().mapToLong(Long::longValue).toArray()));
  }

  /** Adds a text. The driver would misread a question mark in an inlined one. */
  private void addText(String what, Optional<String> text) {
    text.ifPresent(given -> TaskValidator.checkSought(what, given));
    add(text);
  }

  private void addTexts(String what, Optional<List<String>> texts) {
    texts.ifPresent(given -> given.forEach(text -> TaskValidator.checkSought(what, text)));
    add(texts.map(given -> given.toArray(String[]::new)));
  }

  private void addTime(Optional<Instant> time) {
    add(time.map(instant -> instant.atOffset(ZoneOffset.UTC).toString()));
  }

  private void add(Optional<?> value) {
    binds.add(value.orElse(null));
    binds.add(value.orElse(null));
  }
}
