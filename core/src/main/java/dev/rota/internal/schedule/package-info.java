/** When the occurrences of schedules are: calculations alone, no database. Not for users. */
@NullMarked
package dev.rota.internal.schedule;

import org.jspecify.annotations.NullMarked;
