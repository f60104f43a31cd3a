/**
 * Connections: data sources of a JDBC URL, and the pool that Rota makes for itself. Not for users.
 */
@NullMarked
package dev.rota.internal.pool;

import org.jspecify.annotations.NullMarked;
