/**
 * The schema: names of registry tables, DDL of tenant and ledger tables, codes stored in columns.
 * Not for users.
 */
@NullMarked
package dev.rota.internal.schema;

import org.jspecify.annotations.NullMarked;
