package dev.rota;

import dev.rota.history.RetentionPolicy;
import java.time.Instant;

/**
 * One entry of the registry.
 *
 * @param number the number in the names of the tenant's tables
 * @param name the name for people
 * @param closed whether the tenant refuses new tasks
 * @param createdAt when it was registered, by the clock of the database
 * @param policy what holds for this tenant instead of what holds for all
 */
public record TenantInfo(
    int number, String name, boolean closed, Instant createdAt, RetentionPolicy policy) {}
