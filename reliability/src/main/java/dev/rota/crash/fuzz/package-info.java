/** Texts that nobody expects, over every way into Rota. */
package dev.rota.crash.fuzz;
