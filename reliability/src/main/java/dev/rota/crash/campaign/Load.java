package dev.rota.crash.campaign;

/**
 * What a field has to bear.
 *
 * @param major the version of its server
 * @param tasksASecond how many tasks the producers enqueue together
 * @param concurrency how many handlers each worker runs at once
 * @param aWhileMillis how long those tasks take at most that take a while
 */
record Load(int major, int tasksASecond, int concurrency, int aWhileMillis) {}
