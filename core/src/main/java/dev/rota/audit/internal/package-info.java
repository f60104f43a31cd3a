/** The audit. Not for users. */
@NullMarked
package dev.rota.audit.internal;

import org.jspecify.annotations.NullMarked;
