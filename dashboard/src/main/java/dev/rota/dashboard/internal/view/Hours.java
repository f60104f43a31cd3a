package dev.rota.dashboard.internal.view;

import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The time over which a page sums up. */
public final class Hours {

  private static final int USUAL = 24;

  /** The longest time, in hours. */
  public static final int MOST = 24 * 31;

  private Hours() {}

  /** A time from one moment to another, which is not within it. */
  public record Span(Instant from, Instant to) {}

  /** The span that ends with a moment, which is within it. */
  public static Span before(Instant now, int hours) {
    return new Span(now.minus(Duration.ofHours(hours)), now.plusSeconds(1));
  }

  /**
   * Reads the parameter {@code hours}.
   *
   * @throws IllegalArgumentException if it is no number from 1 to 744
   */
  public static int of(DashboardRequest request) {
    return Numbers.of(request, "hours", USUAL, 1, MOST);
  }

  public static Choices choices(Links links, int hours) {
    return new Choices(
        "Time",
        List.of(
            choice(links, "1 hour", 1, hours),
            choice(links, "24 hours", USUAL, hours),
            choice(links, "7 days", 7 * 24, hours)));
  }

  private static Choice choice(Links links, String text, int hours, int present) {
    return new Choice(text, links.with("hours", Integer.toString(hours)), hours == present);
  }
}
