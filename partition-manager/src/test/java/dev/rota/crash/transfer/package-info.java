/** Kills exports and imports at each of their steps, and looks what they leave. */
@NullMarked
package dev.rota.crash.transfer;

import org.jspecify.annotations.NullMarked;
