/** Where history goes before it is dropped from the database: files in an object store. */
@NullMarked
package dev.rota.archive;

import org.jspecify.annotations.NullMarked;
