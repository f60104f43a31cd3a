package dev.rota.crash.campaign;

/**
 * The load on an environment.
 *
 * @param major the version of its server
 * @param tasksASecond how many tasks the producers enqueue together
 * @param concurrency how many handlers each worker runs at once
 * @param aWhileMillis the longest run time of slow tasks
 */
record Load(int major, int tasksASecond, int concurrency, int aWhileMillis) {}
