/** Cancellation, priorities, redrive and replay. Not for users. */
@NullMarked
package dev.rota.control.internal;

import org.jspecify.annotations.NullMarked;
