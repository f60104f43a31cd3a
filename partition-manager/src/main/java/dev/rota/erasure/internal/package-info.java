/** The steps of an erasure. Not for users. */
@NullMarked
package dev.rota.erasure.internal;

import org.jspecify.annotations.NullMarked;
