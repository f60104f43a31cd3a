/** Parts that all subcommands share: terminal, tables, JSON, converters, error messages. */
@NullMarked
package dev.rota.cli.common;

import org.jspecify.annotations.NullMarked;
