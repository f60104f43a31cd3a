/** The workload of {@code rota demo} from end to end, and the audit that no task was lost. */
@NullMarked
package dev.rota.demo;

import org.jspecify.annotations.NullMarked;
