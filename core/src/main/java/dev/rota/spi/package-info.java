/** What extensions of Rota implement. Needs nothing but Java. */
@NullMarked
package dev.rota.spi;

import org.jspecify.annotations.NullMarked;
