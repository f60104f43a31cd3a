/** Readers of history, in the database and in the archive. Not for users. */
@NullMarked
package dev.rota.history.internal;

import org.jspecify.annotations.NullMarked;
