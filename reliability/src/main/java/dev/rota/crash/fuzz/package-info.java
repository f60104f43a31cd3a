/** Unexpected texts, on every path into Rota. */
package dev.rota.crash.fuzz;
