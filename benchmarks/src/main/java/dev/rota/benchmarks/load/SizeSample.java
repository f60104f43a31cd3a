package dev.rota.benchmarks.load;

/**
 * The sizes of the tables at a moment.
 *
 * @param rotations switches of rings until then, of all tenants together
 * @param sizes the sizes
 */
public record SizeSample(long rotations, OccupiedBytes sizes) {}
