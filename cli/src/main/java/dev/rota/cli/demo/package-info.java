/** The job of {@code rota demo}: a workload end to end, and the proof that nothing was lost. */
@NullMarked
package dev.rota.cli.demo;

import org.jspecify.annotations.NullMarked;
