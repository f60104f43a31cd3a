/**
 * Random commands to a tenant, run in lock step against Rota and against a model in memory. A
 * difference is shrunk to the fewest and simplest commands that show it.
 */
@NullMarked
package dev.rota.crash.model;

import org.jspecify.annotations.NullMarked;
