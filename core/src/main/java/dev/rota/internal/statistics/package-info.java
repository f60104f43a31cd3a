/** Hourly statistics of a worker, and how it writes them. Not for users. */
@NullMarked
package dev.rota.internal.statistics;

import org.jspecify.annotations.NullMarked;
