/** Kills archivers at each of their steps, and checks that every task is in one place. */
@NullMarked
package dev.rota.crash.archive;

import org.jspecify.annotations.NullMarked;
