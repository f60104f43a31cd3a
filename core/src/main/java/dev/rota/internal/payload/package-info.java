/** The form of payloads: their size, and how values become texts. Not for users. */
@NullMarked
package dev.rota.internal.payload;

import org.jspecify.annotations.NullMarked;
