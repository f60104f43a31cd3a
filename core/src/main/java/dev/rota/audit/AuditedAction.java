package dev.rota.audit;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a person does. Immutable.
 *
 * @param actor who does it, such as a name of a login; 1 to 200 characters
 * @param action the name of the action, such as {@code redrive}; 1 to 100 characters
 * @param tenant the name of the tenant that it concerns; empty for several or none
 * @param about its arguments in words; longer ones than 2,000 characters are cut
 * @param counted how many tasks it is expected to change; empty if that was not counted
 */
public record AuditedAction(
    String actor, String action, Optional<String> tenant, String about, OptionalLong counted) {

  private static final int LONGEST_ACTOR = 200;
  private static final int LONGEST_ACTION = 100;
  private static final int LONGEST_ABOUT = 2_000;

  /**
   * Checks the texts.
   *
   * @param actor who does it
   * @param action the name of the action
   * @param tenant the name of a tenant
   * @param about its arguments
   * @param counted how many tasks it is expected to change
   * @throws IllegalArgumentException if a text is empty or too long
   */
  public AuditedAction {
    check("actor", actor, LONGEST_ACTOR);
    check("action", action, LONGEST_ACTION);
    Objects.requireNonNull(tenant, "tenant");
    Objects.requireNonNull(counted, "counted");
    about = about.length() <= LONGEST_ABOUT ? about : about.substring(0, LONGEST_ABOUT);
  }

  private static void check(String option, String text, int longest) {
    if (text.isBlank() || text.length() > longest) {
      throw new IllegalArgumentException(
          "the %s has %d characters; use 1 to %d".formatted(option, text.length(), longest));
    }
  }
}
