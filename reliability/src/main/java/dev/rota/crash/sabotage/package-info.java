/**
 * Wrong variants of Rota, each of which the detectors must catch. Rota's statements are changed on
 * their way to the database, so that its own code carries no switch.
 */
@NullMarked
package dev.rota.crash.sabotage;

import org.jspecify.annotations.NullMarked;
