/**
 * Rota: a multi-tenant task scheduler on PostgreSQL.
 *
 * <p>Start with {@link dev.rota.Rota}. Everything a user touches is in this package; what an
 * extender implements is in {@link dev.rota.spi}.
 */
@NullMarked
package dev.rota;

import org.jspecify.annotations.NullMarked;
