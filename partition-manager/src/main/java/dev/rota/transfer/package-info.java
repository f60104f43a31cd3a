/** Takes tenants out of one database and into another. */
@NullMarked
package dev.rota.transfer;

import org.jspecify.annotations.NullMarked;
