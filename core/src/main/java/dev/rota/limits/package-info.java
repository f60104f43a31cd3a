/** Limits: rules for scopes of tasks, which give tenants weights and pause tasks at run time. */
@NullMarked
package dev.rota.limits;

import org.jspecify.annotations.NullMarked;
