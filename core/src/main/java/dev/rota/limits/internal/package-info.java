/**
 * The rules of scopes: stored in one table, and kept in the memory of each process. Not for users.
 */
@NullMarked
package dev.rota.limits.internal;

import org.jspecify.annotations.NullMarked;
