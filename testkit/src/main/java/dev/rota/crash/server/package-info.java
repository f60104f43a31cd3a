/**
 * Faults for tests: a PostgreSQL server that can be killed, a disk that can be full, and a network
 * that can fail.
 */
@NullMarked
package dev.rota.crash.server;

import org.jspecify.annotations.NullMarked;
