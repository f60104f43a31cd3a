package dev.rota.admin;

/**
 * A problem of a database that {@link Admin#preflight()} found.
 *
 * @param check the check that found it, in a few words that stay the same over versions, such as
 *     {@code publications}
 * @param severity how bad it is
 * @param problem the problem
 * @param consequence its effect
 * @param advice the remedy
 */
public record Finding(
    String check, Severity severity, String problem, String consequence, String advice) {

  /** The severity of a finding, the worst first. */
  public enum Severity {

    /** Rota cannot work, or cannot keep any of its guarantees. */
    ERROR,

    /** Rota works, but a guarantee or a precondition is at risk. */
    WARNING
  }

  /**
   * Formats the finding for people, without the severity.
   *
   * @return one sentence
   */
  @Override
  public String toString() {
    return problem + ": " + consequence + "; " + advice;
  }
}
