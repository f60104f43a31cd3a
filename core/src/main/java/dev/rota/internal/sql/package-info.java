/**
 * SQL texts: named statements in files, and the names that jOOQ renders into them. Not for users.
 */
@NullMarked
package dev.rota.internal.sql;

import org.jspecify.annotations.NullMarked;
