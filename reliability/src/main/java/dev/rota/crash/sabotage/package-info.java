/**
 * Wrong variants of Rota, each of which must be caught: whoever watches is watched. What Rota sends
 * is changed on its way to the database, so that its own code carries no switch.
 */
@NullMarked
package dev.rota.crash.sabotage;

import org.jspecify.annotations.NullMarked;
