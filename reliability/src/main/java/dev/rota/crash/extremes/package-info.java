/** What happens at the limits: many tenants, many rotations, servers that are away, full disks. */
@NullMarked
package dev.rota.crash.extremes;

import org.jspecify.annotations.NullMarked;
