package dev.rota.archive.internal.parquet;

import java.math.BigInteger;

/**
 * What tells whether two sets of archived rows are the same.
 *
 * @param rows how many
 * @param idSum the sum of their ids
 * @param hash the sum of a hash of each whole row, in whatever order
 */
public record Contents(long rows, BigInteger idSum, BigInteger hash) {}
