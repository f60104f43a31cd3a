/** {@code rota bench pause}: how soon a pause of a tenant with a deep backlog holds, and ends. */
@NullMarked
package dev.rota.benchmarks.pause;

import org.jspecify.annotations.NullMarked;
