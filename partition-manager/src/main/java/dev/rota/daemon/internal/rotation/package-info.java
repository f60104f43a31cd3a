/**
 * Rotation: the survey of rings, the switch of a slot, and tasks that a switch would strand. Not
 * for users.
 */
@NullMarked
package dev.rota.daemon.internal.rotation;

import org.jspecify.annotations.NullMarked;
