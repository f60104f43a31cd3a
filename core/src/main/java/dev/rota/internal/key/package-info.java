/** Task keys: deduplication, replacement, and the payload of the newest version. Not for users. */
@NullMarked
package dev.rota.internal.key;

import org.jspecify.annotations.NullMarked;
