/** {@code rota bench share}: how tenants of different weights share the handlers of workers. */
@NullMarked
package dev.rota.benchmarks.share;

import org.jspecify.annotations.NullMarked;
