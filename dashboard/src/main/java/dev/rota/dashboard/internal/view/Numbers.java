package dev.rota.dashboard.internal.view;

import dev.rota.dashboard.DashboardRequest;

/** Reads numbers from parameters. */
public final class Numbers {

  private Numbers() {}

  /**
   * Reads a parameter.
   *
   * @throws IllegalArgumentException if it is no number within the bounds
   */
  public static int of(DashboardRequest request, String name, int usual, int least, int most) {
    String text = request.parameter(name).orElse(Integer.toString(usual));
    int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    if (number >= least && number <= most) {
      return number;
    }
    throw new IllegalArgumentException(
        "%s is '%s'; use a number from %d to %d".formatted(name, text, least, most));
  }
}
