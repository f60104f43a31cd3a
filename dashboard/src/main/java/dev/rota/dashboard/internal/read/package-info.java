/** What pages and the API read. Not for users. */
@NullMarked
package dev.rota.dashboard.internal.read;

import org.jspecify.annotations.NullMarked;
