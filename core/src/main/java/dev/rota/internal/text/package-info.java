/** How texts that somebody gave are shown. Depends on nothing. */
@NullMarked
package dev.rota.internal.text;

import org.jspecify.annotations.NullMarked;
