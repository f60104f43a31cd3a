/**
 * Tests of applications that use Rota: a real PostgreSQL, tasks that run in the thread of the test,
 * and time that passes at once. See {@link dev.rota.junit.RotaTest}.
 */
@NullMarked
package dev.rota.junit;

import org.jspecify.annotations.NullMarked;
