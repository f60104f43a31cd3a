/** {@code rota bench rate}: how exactly processes that are killed keep rates of starts. */
@NullMarked
package dev.rota.benchmarks.rate;

import org.jspecify.annotations.NullMarked;
