/** Transitions of a task from stage to stage. Not for users. */
@NullMarked
package dev.rota.pipeline.internal;

import org.jspecify.annotations.NullMarked;
