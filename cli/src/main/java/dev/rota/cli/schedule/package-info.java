/** {@code rota schedule}. */
@NullMarked
package dev.rota.cli.schedule;

import org.jspecify.annotations.NullMarked;
