/** Kills exports, imports and restores at each of their moments, and checks the remains. */
@NullMarked
package dev.rota.crash.transfer;

import org.jspecify.annotations.NullMarked;
