/** {@code rota bench dashboard}: what the pages cost their viewers and the database. */
@NullMarked
package dev.rota.benchmarks.dashboard;

import org.jspecify.annotations.NullMarked;
