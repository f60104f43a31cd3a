/**
 * The worker: discovery of tenants with tasks, claim loops, fair queues, handlers, settling. Not
 * for users.
 */
@NullMarked
package dev.rota.internal.worker;

import org.jspecify.annotations.NullMarked;
