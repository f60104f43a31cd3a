package dev.rota.admin;

/**
 * Something about a database that {@link Admin#preflight()} found wrong.
 *
 * @param check what was looked at, in a few words that stay the same over versions, such as {@code
 *     publications}
 * @param severity how bad it is
 * @param problem what is the case
 * @param consequence why that matters
 * @param advice what to do
 */
public record Finding(
    String check, Severity severity, String problem, String consequence, String advice) {

  /** How bad a finding is; the worst comes first. */
  public enum Severity {

    /** Rota cannot work, or not at all as promised. */
    ERROR,

    /** Rota works, but something that it promises or needs is in danger. */
    WARNING
  }

  /**
   * All of it for people, without the severity.
   *
   * @return one sentence
   */
  @Override
  public String toString() {
    return problem + ": " + consequence + "; " + advice;
  }
}
