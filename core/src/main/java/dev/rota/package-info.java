/**
 * Rota: a multi-tenant task scheduler on PostgreSQL.
 *
 * <p>Start with {@link dev.rota.Rota}. This package holds the types of a first program: producers,
 * workers, tenants and their errors. Each feature has a separate package beside it.
 */
@NullMarked
package dev.rota;

import org.jspecify.annotations.NullMarked;
