package dev.rota.insight;

import dev.rota.schedule.ScheduleInfo;

/**
 * A schedule of a tenant. Immutable.
 *
 * @param tenant the name of the tenant
 * @param schedule the schedule
 */
public record ScheduleEntry(String tenant, ScheduleInfo schedule) {}
