/** {@code rota history}, {@code errors}, {@code statistics} and {@code archive}. */
@NullMarked
package dev.rota.cli.history;

import org.jspecify.annotations.NullMarked;
