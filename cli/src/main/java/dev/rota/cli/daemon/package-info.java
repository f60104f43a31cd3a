/** {@code rota daemon}. */
@NullMarked
package dev.rota.cli.daemon;

import org.jspecify.annotations.NullMarked;
