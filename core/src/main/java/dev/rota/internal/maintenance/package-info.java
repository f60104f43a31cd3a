/**
 * Maintenance: how features add work to the leading daemon, and how its tasks wait and count
 * failures. Not for users.
 */
@NullMarked
package dev.rota.internal.maintenance;

import org.jspecify.annotations.NullMarked;
