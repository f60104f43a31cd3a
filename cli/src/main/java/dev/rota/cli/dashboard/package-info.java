/** The command that serves the dashboard. */
@NullMarked
package dev.rota.cli.dashboard;

import org.jspecify.annotations.NullMarked;
