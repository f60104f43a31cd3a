/** Reads across all tenants of a database, at a bounded cost: what dashboards and reports show. */
@NullMarked
package dev.rota.insight;

import org.jspecify.annotations.NullMarked;
