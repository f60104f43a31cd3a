/** Erasing while it is killed. */
@NullMarked
package dev.rota.crash.erasure;

import org.jspecify.annotations.NullMarked;
