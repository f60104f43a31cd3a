/**
 * What stands behind the public interfaces: registry, enqueue, claim, settle, reading. Not for
 * users.
 */
@NullMarked
package dev.rota.internal;

import org.jspecify.annotations.NullMarked;
