/** Typed tasks: kinds whose payloads are values, and interfaces whose calls are tasks. */
@NullMarked
package dev.rota.typed;

import org.jspecify.annotations.NullMarked;
