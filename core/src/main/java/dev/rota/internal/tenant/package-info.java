/**
 * Tenants: the cached registry, lanes, tables made on first use, and validation of tasks. Not for
 * users.
 */
@NullMarked
package dev.rota.internal.tenant;

import org.jspecify.annotations.NullMarked;
