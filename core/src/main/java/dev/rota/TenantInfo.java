package dev.rota;

import dev.rota.history.RetentionPolicy;
import java.time.Instant;

/**
 * One entry of the registry.
 *
 * @param number the number in the names of the tenant's tables
 * @param name the name for people
 * @param closed whether the tenant refuses new tasks
 * @param createdAt the time of its registration, by the clock of the database
 * @param policy the settings of this tenant that replace the general ones
 */
public record TenantInfo(
    int number, String name, boolean closed, Instant createdAt, RetentionPolicy policy) {}
