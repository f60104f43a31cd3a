package dev.rota.dashboard;

import java.util.Locale;

/** What a {@link Viewer} may do. */
public enum Right {
  /** See pages. */
  READ,
  /** See payloads and headers of tasks. */
  PAYLOAD,
  /** Enqueue tasks. */
  ENQUEUE,
  /** Run tasks of history again. */
  REDRIVE,
  /** Cancel tasks, ask running ones to end, take them from their workers, and change priorities. */
  CANCEL,
  /** Run, pause, resume and remove schedules. */
  SCHEDULE,
  /** Pause tenants and kinds, change their limits, close and open tenants. */
  TENANT;

  /**
   * The name of the role that has this right, for {@link DashboardAccess#roles()}.
   *
   * @return the name, such as {@code ROTA_READ}
   */
  public String role() {
    return "ROTA_" + name().toUpperCase(Locale.ROOT);
  }
}
