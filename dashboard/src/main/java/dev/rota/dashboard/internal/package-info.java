/** The pages of the dashboard. */
@NullMarked
package dev.rota.dashboard.internal;

import org.jspecify.annotations.NullMarked;
