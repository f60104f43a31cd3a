/** Tests at the limits: many tenants, many rotations, unavailable servers, full disks. */
@NullMarked
package dev.rota.crash.extremes;

import org.jspecify.annotations.NullMarked;
