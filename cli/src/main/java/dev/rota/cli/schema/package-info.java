/** {@code rota migrate} and {@code rota check}. */
@NullMarked
package dev.rota.cli.schema;

import org.jspecify.annotations.NullMarked;
