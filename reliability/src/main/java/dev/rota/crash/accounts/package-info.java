/**
 * The accounts that processes write outside themselves, and the record of faults: together they
 * show whether a task had a reason to run again.
 */
@NullMarked
package dev.rota.crash.accounts;

import org.jspecify.annotations.NullMarked;
