/** Schedules: their rows, validation, and the calculation of occurrences. Not for users. */
@NullMarked
package dev.rota.schedule.internal;

import org.jspecify.annotations.NullMarked;
