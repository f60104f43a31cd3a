/** Moves tenants from one database into another. */
@NullMarked
package dev.rota.transfer;

import org.jspecify.annotations.NullMarked;
