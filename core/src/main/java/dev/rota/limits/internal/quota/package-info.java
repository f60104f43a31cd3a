/** Quotas of pending tasks and of payloads: what an enqueue asks for, and what refuses it. */
@NullMarked
package dev.rota.limits.internal.quota;

import org.jspecify.annotations.NullMarked;
