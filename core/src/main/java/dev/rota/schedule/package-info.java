/** Schedules: tasks that Rota enqueues by a cron expression or at a fixed interval. */
@NullMarked
package dev.rota.schedule;

import org.jspecify.annotations.NullMarked;
