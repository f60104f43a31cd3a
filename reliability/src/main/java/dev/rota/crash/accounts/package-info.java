/**
 * What processes write down where it outlives them, and what was done to them meanwhile: by both is
 * known whether a task had a reason to run again.
 */
@NullMarked
package dev.rota.crash.accounts;

import org.jspecify.annotations.NullMarked;
