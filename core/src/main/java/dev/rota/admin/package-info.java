/** Administration: the schema and its roles, findings of the preflight check, the status. */
@NullMarked
package dev.rota.admin;

import org.jspecify.annotations.NullMarked;
