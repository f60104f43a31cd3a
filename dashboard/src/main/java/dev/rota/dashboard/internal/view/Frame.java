package dev.rota.dashboard.internal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page with what surrounds it, for the templates.
 *
 * @param view the page
 * @param navigation the entries of the navigation
 * @param files styles and scripts
 * @param status the line at the top
 * @param refresh how the page renews itself; null if it does not
 */
public record Frame(
    View view, List<Entry> navigation, Files files, Status status, @Nullable Refresh refresh) {

  /**
   * How a page renews itself.
   *
   * @param address where it asks
   * @param seconds how often
   */
  public record Refresh(String address, int seconds) {}

  /** An entry of the navigation. */
  public record Entry(String label, String href, boolean current) {}

  /** Addresses of styles and scripts. */
  public record Files(List<String> styles, List<String> scripts) {}

  /** The line at the top. */
  public record Status(String viewer, String daemon, boolean urgent, View.Choices live) {}
}
