/** Kills archivers at each of their steps, and looks whether every task is in one place. */
@NullMarked
package dev.rota.crash.archive;

import org.jspecify.annotations.NullMarked;
