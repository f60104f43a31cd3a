/** Object stores, and the files of the archive, which DuckDB writes and reads. */
@NullMarked
package dev.rota.archive.internal;

import org.jspecify.annotations.NullMarked;
