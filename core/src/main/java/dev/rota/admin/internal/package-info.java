/**
 * Migration, roles, upgrade of tenant tables, the preflight check and the status. Not for users.
 */
@NullMarked
package dev.rota.admin.internal;

import org.jspecify.annotations.NullMarked;
