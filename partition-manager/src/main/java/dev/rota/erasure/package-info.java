/** Erasing a tenant: everything of it, in the database and in the archive, with a receipt. */
@NullMarked
package dev.rota.erasure;

import org.jspecify.annotations.NullMarked;
