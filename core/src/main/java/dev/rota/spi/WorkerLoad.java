package dev.rota.spi;

import java.util.Map;

/**
 * The load of one worker at one moment, read from its memory.
 *
 * @param handlers how many handlers may run at a time
 * @param running how many calls of handlers run, by kind; zero for the other kinds of the worker
 * @param waiting tasks that are claimed and wait for a handler
 * @param bounded tasks that are claimed and wait for room under a rule, such as a cap
 * @param unsettled tasks that are claimed and not settled, those above included. Only leased
 *     workers hold such tasks
 */
public record WorkerLoad(
    int handlers, Map<String, Integer> running, long waiting, long bounded, long unsettled) {

  /**
   * Copies the map.
   *
   * @param handlers how many handlers may run at a time
   * @param running how many calls of handlers run
   * @param waiting tasks that wait for a handler
   * @param bounded tasks that wait for room under a rule
   * @param unsettled tasks that are not settled
   */
  public WorkerLoad {
    running = Map.copyOf(running);
  }

  /**
   * Counts the handlers that run, of all kinds.
   *
   * @return their number
   */
  public int busy() {
    return running.values().stream().mapToInt(Integer::intValue).sum();
  }
}
