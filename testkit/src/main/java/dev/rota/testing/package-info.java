/** Real PostgreSQL databases for tests. */
@NullMarked
package dev.rota.testing;

import org.jspecify.annotations.NullMarked;
