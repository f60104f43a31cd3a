/** {@code rota bench insight}: what reads across many tenants, and of a large history, cost. */
@NullMarked
package dev.rota.benchmarks.insight;

import org.jspecify.annotations.NullMarked;
