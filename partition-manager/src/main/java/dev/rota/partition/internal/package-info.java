/** The services of the daemon: one class per job. Not for users. */
@NullMarked
package dev.rota.partition.internal;

import org.jspecify.annotations.NullMarked;
