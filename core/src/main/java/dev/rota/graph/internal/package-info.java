/** Graphs: their tables, progress, and the nodes that an end releases. Not for users. */
@NullMarked
package dev.rota.graph.internal;

import org.jspecify.annotations.NullMarked;
