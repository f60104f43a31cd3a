package dev.rota.archive.internal.parquet;

import java.math.BigInteger;

/**
 * The sums by which two sets of archived rows are compared.
 *
 * @param rows the number of rows
 * @param idSum the sum of their ids
 * @param hash the sum of a hash of each whole row, independent of the order
 */
public record Contents(long rows, BigInteger idSum, BigInteger hash) {}
