/** What extenders of Rota implement. */
@NullMarked
package dev.rota.spi;

import org.jspecify.annotations.NullMarked;
