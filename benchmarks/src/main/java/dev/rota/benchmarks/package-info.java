/** Benchmarks by JMH, one class for each measured question. */
@NullMarked
package dev.rota.benchmarks;

import org.jspecify.annotations.NullMarked;
