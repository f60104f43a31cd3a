/**
 * Small scenarios of a few actors that run Rota's own code, one call to the database at a time.
 * They run in every order or in many, in the manner of PostgreSQL's isolation tester.
 */
@NullMarked
package dev.rota.crash.interleaving;

import org.jspecify.annotations.NullMarked;
