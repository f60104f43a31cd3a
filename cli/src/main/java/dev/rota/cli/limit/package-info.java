/** {@code rota limit}, {@code rota pause} and {@code rota resume}. */
@NullMarked
package dev.rota.cli.limit;

import org.jspecify.annotations.NullMarked;
