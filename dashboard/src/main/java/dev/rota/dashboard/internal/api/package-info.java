/** The reads and actions of the dashboard for programs, in JSON. Not for users. */
@NullMarked
package dev.rota.dashboard.internal.api;

import org.jspecify.annotations.NullMarked;
