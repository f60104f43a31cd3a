/** Pools of workers and tasks, and the statements that pair them. Not for users. */
@NullMarked
package dev.rota.assignment.internal;

import org.jspecify.annotations.NullMarked;
