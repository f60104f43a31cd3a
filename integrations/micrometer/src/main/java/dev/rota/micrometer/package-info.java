/** Metrics of Rota in a registry of Micrometer. */
@NullMarked
package dev.rota.micrometer;

import org.jspecify.annotations.NullMarked;
