package dev.rota.benchmarks.rounds;

/**
 * The figures of one contender in one round.
 *
 * @param round the number of the round, from 1
 * @param contender the contender, with the jar if it is of another version
 * @param figures all shots
 */
record Turn(int round, String contender, BenchmarkFigures figures) {}
