package dev.rota.cli.common;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a tenant that no worker could run, and that are dead in its history.
 *
 * @param tenant the name of the tenant
 * @param rows how many there were
 * @param lastTask the id of the last one; 0 if it had none
 * @param lastAt when that was set aside
 * @param reason why
 */
public record SetAside(String tenant, long rows, long lastTask, Instant lastAt, String reason) {

  public String line() {
    return "%s rows of tenant '%s' were %s (last task %d at %s)"
        .formatted(Text.count(rows), tenant, reason, lastTask, Text.seconds(lastAt));
  }

  public Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tenant", tenant);
    fields.put("rows", rows);
    fields.put("lastTask", lastTask);
    fields.put("lastAt", lastAt.toString());
    fields.put("reason", reason);
    return fields;
  }
}
