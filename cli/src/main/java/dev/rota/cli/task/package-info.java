/** Subcommands on tasks: enqueue, cancel, redrive, replay, reprioritize, list running ones. */
@NullMarked
package dev.rota.cli.task;

import org.jspecify.annotations.NullMarked;
