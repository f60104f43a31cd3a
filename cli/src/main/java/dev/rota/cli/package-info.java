/** The {@code rota} command. */
@NullMarked
package dev.rota.cli;

import org.jspecify.annotations.NullMarked;
