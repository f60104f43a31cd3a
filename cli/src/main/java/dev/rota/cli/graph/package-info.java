/** {@code rota graph}. */
@NullMarked
package dev.rota.cli.graph;

import org.jspecify.annotations.NullMarked;
