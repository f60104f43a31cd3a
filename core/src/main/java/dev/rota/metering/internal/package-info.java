/** Metering. Not for users. */
@NullMarked
package dev.rota.metering.internal;

import org.jspecify.annotations.NullMarked;
