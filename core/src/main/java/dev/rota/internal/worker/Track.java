package dev.rota.internal.worker;

import dev.rota.internal.Claimer;

/**
 * The way of one group of kinds through a worker: where it is claimed, how much of it, and where it
 * waits for handlers.
 *
 * @param agenda which tenants to visit for it
 * @param claimer claims its kinds
 * @param appetite how much to hold of it
 * @param queue what is claimed and not begun
 */
record Track(Agenda agenda, Claimer claimer, Appetite appetite, WorkQueue queue) {

  /** How many more tasks to claim; see {@link Appetite#wants}. */
  int wants() {
    return appetite.wants(queue.waiting(), queue.finishedTasks());
  }
}
