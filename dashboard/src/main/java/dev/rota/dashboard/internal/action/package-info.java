/** What viewers may change. Not for users. */
@NullMarked
package dev.rota.dashboard.internal.action;

import org.jspecify.annotations.NullMarked;
