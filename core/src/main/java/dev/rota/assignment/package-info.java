/** Assignments: one-to-one pairings of workers and tasks. */
@NullMarked
package dev.rota.assignment;

import org.jspecify.annotations.NullMarked;
