/** Measures what one tenant with much to do costs the others. */
@NullMarked
package dev.rota.benchmarks.whale;

import org.jspecify.annotations.NullMarked;
