/** {@code rota tenant}, and the base of all subcommands on one tenant. */
@NullMarked
package dev.rota.cli.tenant;

import org.jspecify.annotations.NullMarked;
