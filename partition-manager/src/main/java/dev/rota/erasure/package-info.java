/** Erasure of tenants: all their data, in the database and in the archive, with a receipt. */
@NullMarked
package dev.rota.erasure;

import org.jspecify.annotations.NullMarked;
