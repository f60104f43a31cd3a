/** Tests with real processes: killed, frozen and woken, several of each kind at once. */
package dev.rota.processes;
