/** The archive of history that leaves the database: files in an object store. */
@NullMarked
package dev.rota.archive;

import org.jspecify.annotations.NullMarked;
