/** The one seam to the database, the names of tables, and every named statement. Not for users. */
@NullMarked
package dev.rota.internal.db;

import org.jspecify.annotations.NullMarked;
