/** Benchmarks of Rota's hot paths, and the end-to-end load runner. */
@NullMarked
package dev.rota.benchmarks;

import org.jspecify.annotations.NullMarked;
