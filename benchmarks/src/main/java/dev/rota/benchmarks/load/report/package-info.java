/** The report of a load run, with its charts. */
@NullMarked
package dev.rota.benchmarks.load.report;

import org.jspecify.annotations.NullMarked;
