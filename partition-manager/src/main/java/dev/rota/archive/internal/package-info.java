/** The archiver, and readers of archived history. Not for users. */
@NullMarked
package dev.rota.archive.internal;

import org.jspecify.annotations.NullMarked;
