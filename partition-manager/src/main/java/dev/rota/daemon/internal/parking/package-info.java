/** Parking: drops the tables of idle tenants. Not for users. */
@NullMarked
package dev.rota.daemon.internal.parking;

import org.jspecify.annotations.NullMarked;
