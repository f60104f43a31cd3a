/**
 * Benchmarks in rounds: contenders, or two versions, in turns, with the ratio within each round.
 */
@NullMarked
package dev.rota.benchmarks.rounds;

import org.jspecify.annotations.NullMarked;
