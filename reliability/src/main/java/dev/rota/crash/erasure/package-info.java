/** Kills erasers at each of their steps. */
@NullMarked
package dev.rota.crash.erasure;

import org.jspecify.annotations.NullMarked;
