/** Tests of the daemon on real databases. */
@NullMarked
package dev.rota.daemon;

import org.jspecify.annotations.NullMarked;
