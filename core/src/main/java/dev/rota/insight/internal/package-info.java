/** Implementation of {@link dev.rota.insight}. Not for users. */
@NullMarked
package dev.rota.insight.internal;

import org.jspecify.annotations.NullMarked;
