/**
 * Rota: a multi-tenant task scheduler on PostgreSQL.
 *
 * <p>Start with {@link dev.rota.Rota}. This package holds what a first program needs: producers,
 * workers, tenants and their errors. Each feature has a package of its own beside it.
 */
@NullMarked
package dev.rota;

import org.jspecify.annotations.NullMarked;
