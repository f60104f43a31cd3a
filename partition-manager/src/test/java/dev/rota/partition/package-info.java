/** Tests of the daemon on real databases. */
@NullMarked
package dev.rota.partition;

import org.jspecify.annotations.NullMarked;
