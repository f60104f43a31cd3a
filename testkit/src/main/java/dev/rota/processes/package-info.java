/**
 * Java processes that a test starts, freezes and kills; their logs; and waiting for their effects.
 */
@NullMarked
package dev.rota.processes;

import org.jspecify.annotations.NullMarked;
