/** The pages. Not for users. */
@NullMarked
package dev.rota.dashboard.internal.page;

import org.jspecify.annotations.NullMarked;
