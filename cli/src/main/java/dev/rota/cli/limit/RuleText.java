package dev.rota.cli.limit;

import dev.rota.cli.common.Table;
import dev.rota.cli.common.Text;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Breaker;
import dev.rota.limits.PayloadQuota;
import dev.rota.limits.Rate;
import dev.rota.limits.Rule;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Formats rules for people and for programs. */
final class RuleText {

  private static final String NONE = "-";

  private RuleText() {}

  static Table table(List<Rule> rules) {
    Table table =
        new Table(
            "WEIGHT",
            "TIER",
            "CAP",
            "RATE",
            "BURST",
            "MAX PENDING",
            "MAX PAYLOAD",
            "POOL",
            "BREAKER",
            "PAUSED SINCE",
            "UNTIL",
            "BY",
            "SCOPE",
            "REASON");
    for (Rule rule : rules) {
      table.add(
          rule.limits().weight().map(RuleText::weight).orElse(NONE),
          rule.limits().tier().map(String::valueOf).orElse(NONE),
          rule.limits().concurrency().map(String::valueOf).orElse(NONE),
          rule.limits().rate().map(Rate::text).orElse(NONE),
          rule.limits().rate().map(Rate::burst).map(String::valueOf).orElse(NONE),
          rule.limits().maxPending().map(String::valueOf).orElse(NONE),
          rule.limits().maxPayload().map(PayloadQuota::toString).orElse(NONE),
          rule.limits().pool().orElse(NONE),
          rule.limits().breaker().map(Breaker::toString).orElse(NONE),
          rule.pause().map(pause -> Text.seconds(pause.since())).orElse(NONE),
          rule.pause().flatMap(Rule.Pause::until).map(Text::seconds).orElse(NONE),
          rule.pause().map(RuleText::origin).orElse(NONE),
          SafeText.whole(rule.scope().toString()),
          rule.pause().map(Rule.Pause::reason).map(SafeText::whole).orElse(""));
    }
    return table;
  }

  private static String origin(Rule.Pause pause) {
    return pause.origin().name().toLowerCase(Locale.ROOT);
  }

  /** A weight as the option takes it. */
  static String weight(double weight) {
    return weight == Math.rint(weight) ? Long.toString((long) weight) : Double.toString(weight);
  }

  static Map<String, @Nullable Object> fields(Rule rule) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    Optional<Rule.Pause> pause = rule.pause();
    fields.put("scope", rule.scope().toString());
    fields.put("weight", rule.limits().weight().orElse(null));
    fields.put("tier", rule.limits().tier().orElse(null));
    fields.put("concurrency", rule.limits().concurrency().orElse(null));
    fields.put("rate", rule.limits().rate().map(Rate::text).orElse(null));
    fields.put("burst", rule.limits().rate().map(Rate::burst).orElse(null));
    fields.put("maxPending", rule.limits().maxPending().orElse(null));
    fields.put("maxPayload", rule.limits().maxPayload().map(PayloadQuota::toString).orElse(null));
    fields.put("pool", rule.limits().pool().orElse(null));
    fields.put("breaker", rule.limits().breaker().map(Breaker::toString).orElse(null));
    fields.put("paused", pause.isPresent());
    fields.put("pausedSince", pause.map(Rule.Pause::since).map(Instant::toString).orElse(null));
    fields.put("pausedUntil", pause.flatMap(Rule.Pause::until).map(Instant::toString).orElse(null));
    fields.put("pausedBy", pause.map(RuleText::origin).orElse(null));
    fields.put("reason", pause.map(Rule.Pause::reason).orElse(null));
    return fields;
  }
}
