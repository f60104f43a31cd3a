/** The database of a subcommand: its address and options, or a local server. */
@NullMarked
package dev.rota.cli.database;

import org.jspecify.annotations.NullMarked;
