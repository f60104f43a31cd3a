/** Migration, roles, upgrade of tenant tables, and the preflight check. Not for users. */
@NullMarked
package dev.rota.admin.internal;

import org.jspecify.annotations.NullMarked;
