/**
 * Every round trip to the database that Rota makes, broken in every way: before it, after it, at
 * the client and at the server.
 */
@NullMarked
package dev.rota.crash.points;

import org.jspecify.annotations.NullMarked;
