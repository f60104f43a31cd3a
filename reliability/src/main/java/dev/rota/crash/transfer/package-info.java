/** Kills exports, imports and restores at each of their moments, and looks what they leave. */
@NullMarked
package dev.rota.crash.transfer;

import org.jspecify.annotations.NullMarked;
