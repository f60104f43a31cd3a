/** Measures the delay that one tenant with a deep backlog causes to the others. */
@NullMarked
package dev.rota.benchmarks.whale;

import org.jspecify.annotations.NullMarked;
