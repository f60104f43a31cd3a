/** Enqueue: group commits, ids, and inserts into slots and wait tables. Not for users. */
@NullMarked
package dev.rota.internal.enqueue;

import org.jspecify.annotations.NullMarked;
