/**
 * The crash suite: breaks everything on purpose, with a seed, and shows that nothing acknowledged
 * is lost.
 */
@NullMarked
package dev.rota.crash;

import org.jspecify.annotations.NullMarked;
