/** What extensions of Rota implement, and what they are told. Needs nothing but Java. */
@NullMarked
package dev.rota.spi;

import org.jspecify.annotations.NullMarked;
