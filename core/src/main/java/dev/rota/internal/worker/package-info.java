/** The worker: discovery of work, running of handlers, settling. Not for users. */
@NullMarked
package dev.rota.internal.worker;

import org.jspecify.annotations.NullMarked;
