/** Traces and metrics of Rota in OpenTelemetry. */
@NullMarked
package dev.rota.opentelemetry;

import org.jspecify.annotations.NullMarked;
