/**
 * Leadership: the leader lock, the loop that runs maintenance tasks, throttling and backoff. Not
 * for users.
 */
@NullMarked
package dev.rota.daemon.internal.leader;

import org.jspecify.annotations.NullMarked;
