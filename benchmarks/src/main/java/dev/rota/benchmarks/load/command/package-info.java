/** {@code rota bench}: its options. */
@NullMarked
package dev.rota.benchmarks.load.command;

import org.jspecify.annotations.NullMarked;
