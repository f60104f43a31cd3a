/** The rotation daemon, embedded by an application or run by the {@code rota} command. */
@NullMarked
package dev.rota.daemon;

import org.jspecify.annotations.NullMarked;
