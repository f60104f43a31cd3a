/** Metering: what each tenant used in each hour. */
@NullMarked
package dev.rota.metering;

import org.jspecify.annotations.NullMarked;
