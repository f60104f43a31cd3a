/** Settings of a Rota, with their bounds. Not for users. */
@NullMarked
package dev.rota.internal.config;

import org.jspecify.annotations.NullMarked;
