package dev.rota.dashboard.internal.view;

import dev.rota.DatabaseException;
import dev.rota.UnknownTenantException;
import dev.rota.graph.UnknownGraphException;
import dev.rota.schedule.UnknownScheduleException;

/**
 * Why a request is not served.
 *
 * @param status the status of HTTP
 * @param text why, in words
 */
public record Trouble(int status, String text) {

  /** The trouble that an exception stands for; one with status 500 is a defect of the dashboard. */
  public static Trouble of(RuntimeException e) {
    String text = String.valueOf(e.getMessage());
    if (e instanceof ForbiddenException) {
      return new Trouble(403, text);
    } else if (e instanceof UnknownTenantException
        || e instanceof UnknownGraphException
        || e instanceof UnknownScheduleException
        || e instanceof MissingException) {
      return new Trouble(404, text);
    } else if (e instanceof IllegalArgumentException) {
      return new Trouble(400, text);
    } else if (e instanceof DatabaseException refused) {
      return new Trouble(503, Refusal.text(refused));
    }
    return new Trouble(500, "It could not be read: " + e);
  }

  /** The status in words. */
  public String title() {
    return switch (status) {
      case 400 -> "Bad request";
      case 403 -> "Forbidden";
      case 404 -> "Not found";
      case 503 -> "The database does not answer";
      default -> "Failed";
    };
  }
}
