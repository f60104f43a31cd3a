/** Loggers that reach the platform's log where SLF4J has no provider. Not for users. */
@NullMarked
package dev.rota.internal.log;

import org.jspecify.annotations.NullMarked;
