/** The rotation daemon, to be embedded or run by the {@code rota} command. */
@NullMarked
package dev.rota.partition;

import org.jspecify.annotations.NullMarked;
