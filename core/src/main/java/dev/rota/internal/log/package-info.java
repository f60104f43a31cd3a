/** Where the lines of Rota's log go. */
@NullMarked
package dev.rota.internal.log;

import org.jspecify.annotations.NullMarked;
