/** {@code rota status}. */
@NullMarked
package dev.rota.cli.status;

import org.jspecify.annotations.NullMarked;
