/** Graphs: tasks that wait for other tasks. */
@NullMarked
package dev.rota.graph;

import org.jspecify.annotations.NullMarked;
