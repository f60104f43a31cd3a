package dev.rota.dashboard;

/**
 * Makes payloads fit to be shown: it may redact or decode them. Called only for viewers with {@link
 * Right#PAYLOAD}, on the thread of their request. Such viewers see headers of tasks as they are.
 */
@FunctionalInterface
public interface PayloadRenderer {

  /**
   * Makes the text that pages show.
   *
   * @param tenant the name of the tenant
   * @param kind the kind of the task
   * @param payload the payload
   * @return the text
   */
  String render(String tenant, String kind, String payload);

  /**
   * Shows payloads as they are.
   *
   * @return the view
   */
  static PayloadRenderer whole() {
    return (tenant, kind, payload) -> payload;
  }
}
