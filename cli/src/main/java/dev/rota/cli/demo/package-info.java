/** {@code rota demo}: options, progress and summary. */
@NullMarked
package dev.rota.cli.demo;

import org.jspecify.annotations.NullMarked;
