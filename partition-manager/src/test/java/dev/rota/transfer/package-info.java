/** Tests of moving tenants between real databases. */
@NullMarked
package dev.rota.transfer;

import org.jspecify.annotations.NullMarked;
