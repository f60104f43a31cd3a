/**
 * Control over tasks: filters to cancel or reprioritize them, redrive of dead tasks, replay of
 * finished ones.
 */
@NullMarked
package dev.rota.control;

import org.jspecify.annotations.NullMarked;
