/**
 * Reasons why tasks do not begin, and the live shares of tenants. Knows no rule: those that have
 * rules add a {@link dev.rota.limits.internal.why.ReasonSource}. Not for users.
 */
@NullMarked
package dev.rota.limits.internal.why;

import org.jspecify.annotations.NullMarked;
