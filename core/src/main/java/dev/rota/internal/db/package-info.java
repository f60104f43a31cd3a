/**
 * Database access: transactions, statements with parameters, the cache of prepared statements,
 * errors. Not for users.
 */
@NullMarked
package dev.rota.internal.db;

import org.jspecify.annotations.NullMarked;
