/** The command about metering. Not for users. */
@NullMarked
package dev.rota.cli.metering;

import org.jspecify.annotations.NullMarked;
