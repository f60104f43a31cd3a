/** Pipelines: tasks that pass through stages, each with its own handler. */
@NullMarked
package dev.rota.pipeline;

import org.jspecify.annotations.NullMarked;
