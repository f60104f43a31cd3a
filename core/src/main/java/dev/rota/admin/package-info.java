/** Administration of the schema: roles, and findings of the preflight check. */
@NullMarked
package dev.rota.admin;

import org.jspecify.annotations.NullMarked;
