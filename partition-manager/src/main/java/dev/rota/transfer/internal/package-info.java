/** The steps of exports, imports and restores. Not for users. */
@NullMarked
package dev.rota.transfer.internal;

import org.jspecify.annotations.NullMarked;
