/** Parquet files of the archive, which DuckDB writes and reads. Not for users. */
@NullMarked
package dev.rota.archive.internal.parquet;

import org.jspecify.annotations.NullMarked;
