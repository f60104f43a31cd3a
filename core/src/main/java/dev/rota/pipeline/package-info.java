/** Pipelines: tasks that pass through stages, each with a handler of its own. */
@NullMarked
package dev.rota.pipeline;

import org.jspecify.annotations.NullMarked;
