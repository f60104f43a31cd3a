/** The assembly of the daemon and its plan of maintenance tasks. Not for users. */
@NullMarked
package dev.rota.daemon.internal;

import org.jspecify.annotations.NullMarked;
