/** {@code rota why} and {@code rota top}. */
@NullMarked
package dev.rota.cli.insight;

import org.jspecify.annotations.NullMarked;
